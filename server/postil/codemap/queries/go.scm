; grammar: tree_sitter_go
; endings: .go
; comments: // /* *

(function_declaration name: (identifier) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))
  ]))
  name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(method_elem name: (field_identifier) @name) @method
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))

(import_spec path: (interpreted_string_literal (interpreted_string_literal_content) @import)) @statement

; references
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(call_expression function: (type_instantiation_expression type: (type_identifier) @call))
(type_conversion_expression type: (generic_type type: (type_identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(field_declaration_list (field_declaration !name type: [
  (type_identifier) @base
  (pointer_type (type_identifier) @base)
  (qualified_type name: (type_identifier) @base)
  (generic_type type: (type_identifier) @base)
]))
(interface_type (type_elem . [(type_identifier) @base (qualified_type name: (type_identifier) @base)] .))
