; grammar: tree_sitter_objc
; endings: .m .mm
; extends: c
; selectors: yes

(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (block_pointer_declarator declarator: (type_identifier) @name)))) @type
(protocol_declaration . (identifier) @name) @interface
(class_interface . (identifier) @name !category) @class
(class_interface . (identifier) @name category: (_)) @container
(class_implementation . (identifier) @name) @container
(method_declaration (method_type) . (identifier) @name) @method
(method_definition (method_type) . (identifier) @name) @method

(module_import path: (_) @import) @statement

; references
(message_expression method: (identifier) @call)
(class_interface superclass: (identifier) @base)
(class_interface superclass: (identifier) (parameterized_arguments (type_name (type_identifier) @base)))
(protocol_declaration (protocol_reference_list (identifier) @base))
