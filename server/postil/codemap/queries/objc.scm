; grammar: tree_sitter_objc
; endings: .m .mm
; comments: // /* *
; silent: sizeof defined
; selectors: yes

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @function
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (block_pointer_declarator declarator: (type_identifier) @name)))) @type
(preproc_function_def name: (identifier) @name) @macro
(preproc_def name: (identifier) @name) @macro
(protocol_declaration . (identifier) @name) @interface
(class_interface . (identifier) @name !category) @class
(class_interface . (identifier) @name category: (_)) @container
(class_implementation . (identifier) @name) @container
(method_declaration (method_type) . (identifier) @name) @method
(method_definition (method_type) . (identifier) @name) @method

(translation_unit (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name)])
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
]) @variable (#not-match? @variable "^extern"))

(preproc_include path: (_) @import) @statement
(module_import path: (_) @import) @statement

; references
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))

(message_expression method: (identifier) @call)
(class_interface superclass: (identifier) @base)
(class_interface superclass: (identifier) (parameterized_arguments (type_name (type_identifier) @base)))
(protocol_declaration (protocol_reference_list (identifier) @base))
