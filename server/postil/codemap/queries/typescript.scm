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
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))

(import_statement source: (string (string_fragment) @import))
(import_require_clause source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(call_expression function: (import) arguments: (arguments (string (string_fragment) @import)))
((call_expression
  function: (identifier) @_function
  arguments: (arguments . (string (string_fragment) @import)))
  (#eq? @_function "require"))
