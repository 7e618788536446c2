; grammar: tree_sitter_cpp
; endings: .cc .cpp .cxx .hh .hpp .hxx .ipp .cu .cuh
; comments: // /* *
; silent: static_cast dynamic_cast reinterpret_cast const_cast sizeof defined decltype

(function_definition
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))
  ]) @function
(declaration
  declarator: [
    (function_declarator declarator: [(identifier) (qualified_identifier)] @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (reference_declarator (function_declarator declarator: (identifier) @name))
  ]) @function
(field_declaration
  declarator: [
    (function_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
    (reference_declarator (function_declarator declarator: (field_identifier) @name))
  ]) @method
(class_specifier name: [(type_identifier) (template_type)] @name body: (_)) @class
(struct_specifier name: [(type_identifier) (template_type)] @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(preproc_function_def name: (identifier) @name) @macro
(preproc_def name: (identifier) @name) @macro

(preproc_include path: (_) @import) @statement
(translation_unit (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name)])
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
]) @variable (#not-match? @variable "^extern"))

(declaration_list (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)])
]) @variable)
(field_declaration_list (declaration declarator: (function_declarator declarator: (_) @name)) @method)
(field_declaration_list (function_definition declarator: (function_declarator declarator: [(destructor_name) (operator_name)] @name)) @method)
(declaration declarator: (function_declarator declarator: (operator_name) @name)) @function

; references
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))

(call_expression function: (qualified_identifier) @call)
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (field_expression field: (template_method name: (field_identifier) @call)))
(new_expression type: [(type_identifier) @call (qualified_identifier) @call (template_type name: (type_identifier) @call)])
(base_class_clause [(type_identifier) @base (qualified_identifier) @base (template_type name: (type_identifier) @base)])
