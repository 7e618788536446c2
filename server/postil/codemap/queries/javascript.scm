(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(method_definition name: (_) @name) @method
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression
  left: (member_expression) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))

(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(call_expression function: (import) arguments: (arguments (string (string_fragment) @import)))
((call_expression
  function: (identifier) @_function
  arguments: (arguments . (string (string_fragment) @import)))
  (#eq? @_function "require"))
