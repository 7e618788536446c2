; grammar: tree_sitter_ocaml:language_ocaml
; endings: .ml
; comments: (*

(value_definition (let_binding pattern: (value_name) @name (parameter)) @function)
(value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @function)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @variable))
(structure (value_definition (let_binding pattern: (value_name) @name) @variable))
(module_definition (module_binding (module_name) @name)) @module
(module_type_definition (module_type_name) @name) @interface
(type_definition (type_binding name: (type_constructor) @name) @type)
(exception_definition (constructor_declaration (constructor_name) @name)) @type
(value_specification (value_name) @name type: (function_type)) @method
(external (value_name) @name) @function
(class_definition (class_binding (class_name) @name)) @class
(method_definition (method_name) @name) @method

(open_module module: (module_path) @import) @statement

; references
(application_expression function: (value_path (value_name) @call))
(inheritance_definition class: (class_path (class_name) @base))
