; grammar: tree_sitter_dart
; endings: .dart
; comments: /// // /* *
; silent: super this self base parent
; bodies: beside

(class_definition name: (identifier) @name) @class
(mixin_declaration (identifier) @name) @trait
(enum_declaration name: (identifier) @name) @enum
(extension_declaration name: (identifier) @name) @container
(type_alias (type_identifier) @name) @type
(program (function_signature name: (identifier) @name) @function)
(local_function_declaration (lambda_expression parameters: (function_signature name: (identifier) @name))) @function
(method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (constructor_signature name: (identifier) @name)
  (factory_constructor_signature (identifier) @name)
]) @method
(declaration [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (constructor_signature name: (identifier) @name)
  (constant_constructor_signature (identifier) @name)
  (factory_constructor_signature (identifier) @name)
]) @method
(program (const_builtin) . (_)? . (static_final_declaration_list (static_final_declaration . (identifier) @name) @constant))
(program (final_builtin) . (_)? . (static_final_declaration_list (static_final_declaration . (identifier) @name) @variable))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @variable))

(library_import (import_specification (configurable_uri (uri) @import))) @statement
(library_export (configurable_uri (uri) @import)) @statement
(part_directive (uri) @import) @statement

; references
((identifier) @call . (selector (argument_part)))
((selector (unconditional_assignable_selector (identifier) @call)) . (selector (argument_part)))
((selector (conditional_assignable_selector (identifier) @call)) . (selector (argument_part)))
(cascade_section (cascade_selector (identifier) @call) (argument_part))
(new_expression (type_identifier) @call)
(const_object_expression (type_identifier) @call)
(superclass (type_identifier) @base)
(mixins (type_identifier) @base)
(interfaces (type_identifier) @base)
