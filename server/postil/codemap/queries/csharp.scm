; grammar: tree_sitter_c_sharp
; endings: .cs .csx
; comments: /// // /* *
; silent: super this self base parent

(namespace_declaration name: (_) @name) @module
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(destructor_declaration "~" @_tilde name: (identifier) @name) @destructor
(property_declaration name: (identifier) @name) @property
(local_function_statement name: (identifier) @name) @function

(using_directive [(identifier) (qualified_name)] @import .) @statement

; references
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)]))
(invocation_expression function: (conditional_access_expression (member_binding_expression name: [(identifier) @call (generic_name (identifier) @call)])))
(object_creation_expression type: [(identifier) @call (generic_name (identifier) @call) (qualified_name name: (identifier) @call)])
(class_declaration (base_list [(identifier) @base (generic_name (identifier) @base) (qualified_name name: (identifier) @base)]))
(struct_declaration (base_list [(identifier) @base (generic_name (identifier) @base) (qualified_name name: (identifier) @base)]))
(record_declaration (base_list [(identifier) @base (generic_name (identifier) @base) (qualified_name name: (identifier) @base) (primary_constructor_base_type (identifier) @base)]))
(interface_declaration (base_list [(identifier) @base (generic_name (identifier) @base) (qualified_name name: (identifier) @base)]))
