; grammar: tree_sitter_kotlin
; endings: .kt .kts
; comments: // /* *
; silent: super this self base parent

(class_declaration name: (identifier) @name) @class
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration name: (identifier) @name (enum_class_body)) @enum
(object_declaration name: (identifier) @name) @object
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @method
(type_alias type: (identifier) @name) @type
(source_file (property_declaration (variable_declaration (identifier) @name)) @variable)
(source_file (property_declaration
  (modifiers (property_modifier) @_modifier)
  (variable_declaration (identifier) @name)) @constant
  (#eq? @_modifier "const"))

(import (qualified_identifier) @import) @statement

; references
(call_expression . (identifier) @call)
(call_expression . (navigation_expression (identifier) @call .))
(delegation_specifier [
  (user_type (identifier) @base .)
  (user_type (identifier) @base . (type_arguments))
  (constructor_invocation (user_type (identifier) @base .))
  (constructor_invocation (user_type (identifier) @base . (type_arguments)))
  (explicit_delegation (user_type (identifier) @base .))
  (explicit_delegation (user_type (identifier) @base . (type_arguments)))
])
