; grammar: tree_sitter_swift
; endings: .swift
; comments: /// // /* *
; silent: super this self base parent

(class_declaration "class" name: (type_identifier) @name) @class
(class_declaration "actor" name: (type_identifier) @name) @class
(class_declaration "struct" name: (type_identifier) @name) @struct
(class_declaration "enum" name: (type_identifier) @name) @enum
(class_declaration "extension" name: (user_type (type_identifier) @name)) @container
(protocol_declaration name: (type_identifier) @name) @interface
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration "init" @name) @method
(deinit_declaration "deinit" @name) @method
(typealias_declaration name: (type_identifier) @name) @type
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)) @property
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property
(source_file (property_declaration (value_binding_pattern "let") name: (pattern bound_identifier: (simple_identifier) @name)) @constant)
(source_file (property_declaration (value_binding_pattern "var") name: (pattern bound_identifier: (simple_identifier) @name)) @variable)

(import_declaration (identifier) @import) @statement

; references
(call_expression . (simple_identifier) @call)
(constructor_expression constructed_type: (user_type (type_identifier) @call))
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)))
(class_declaration (inheritance_specifier inherits_from: (user_type (type_identifier) @base)))
(protocol_declaration (inheritance_specifier inherits_from: (user_type (type_identifier) @base)))
