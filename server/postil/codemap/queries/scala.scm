; grammar: tree_sitter_scala
; endings: .scala .sc .sbt
; comments: // /* *
; silent: super this self base parent

(class_definition name: (identifier) @name) @class
(trait_definition name: (identifier) @name) @trait
(object_definition name: (identifier) @name) @object
(enum_definition name: (identifier) @name) @enum
(function_definition name: (identifier) @name) @function
(function_declaration name: (identifier) @name) @function
(type_definition name: (type_identifier) @name) @type
(compilation_unit [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
] @variable)
(given_definition name: (identifier) @name) @variable

(import_declaration) @import @statement

; references
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (identifier) @call))
(call_expression function: (generic_function function: [(identifier) @call (field_expression field: (identifier) @call)]))
(instance_expression [(type_identifier) @call (generic_type type: (type_identifier) @call) (stable_type_identifier (type_identifier) @call .)])
(extends_clause [(type_identifier) @base (generic_type type: (type_identifier) @base) (stable_type_identifier (type_identifier) @base .)])
