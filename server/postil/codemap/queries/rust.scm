; grammar: tree_sitter_rust
; endings: .rs
; comments: /// //! // /* *

(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name body: (_)) @module
(macro_definition name: (identifier) @name) @macro
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)
  (reference_type type: (type_identifier) @name)
]) @container

(use_declaration argument: (_) @import) @statement
(mod_item name: (identifier) @import !body) @statement
(extern_crate_declaration name: (identifier) @import)

; references
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (generic_function function: [
  (identifier) @call
  (scoped_identifier name: (identifier) @call)
  (field_expression field: (field_identifier) @call)
]))
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])
(impl_item trait: [
  (type_identifier) @base
  (generic_type type: (type_identifier) @base)
  (scoped_type_identifier name: (type_identifier) @base)
])
(trait_item bounds: (trait_bounds [(type_identifier) @base (generic_type type: (type_identifier) @base) (scoped_type_identifier name: (type_identifier) @base)]))
