; grammar: tree_sitter_typescript:language_typescript
; endings: .ts .mts .cts
; comments: // /* *
; silent: super this require import

(function_declaration name: (identifier) @name) @function
(function_signature name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(method_definition name: (_) @name) @method
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition
  name: (_) @name value: [(arrow_function) (function_expression)]) @method
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression
  left: (member_expression) @name
  right: [(arrow_function) (function_expression)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression !name)]) @method
(pair value: (function_expression name: (identifier) @name)) @method
(arguments (function_expression name: (identifier) @name) @function)
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))

(import_statement source: (string (string_fragment) @import)) @statement
(import_require_clause source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import)) @statement
(call_expression function: (import) arguments: (arguments (string (string_fragment) @import)))
((call_expression
  function: (identifier) @_function
  arguments: (arguments . (string (string_fragment) @import)))
  (#eq? @_function "require"))

; references
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (property_identifier) @call))

(class_heritage (extends_clause value: [(identifier) @base (member_expression property: (property_identifier) @base)]))
(class_heritage (implements_clause [(type_identifier) @base (generic_type name: (type_identifier) @base) (nested_type_identifier name: (type_identifier) @base) (generic_type name: (nested_type_identifier name: (type_identifier) @base))]))
(extends_type_clause [(type_identifier) @base (generic_type name: (type_identifier) @base) (nested_type_identifier name: (type_identifier) @base)])
