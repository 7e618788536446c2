; grammar: tree_sitter_ocaml:language_ocaml_interface
; endings: .mli
; comments: (*

(value_specification (value_name) @name) @function
(module_definition (module_binding (module_name) @name)) @module
(module_type_definition (module_type_name) @name) @interface
(type_definition (type_binding name: (type_constructor) @name) @type)
(exception_definition (constructor_declaration (constructor_name) @name)) @type
(external (value_name) @name) @function

(open_module_signature module: (_) @import) @statement
