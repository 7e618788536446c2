; grammar: tree_sitter_javascript
; endings: .js .mjs .cjs .jsx
; comments: // /* *
; silent: super this require import

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

(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))

(import_statement source: (string (string_fragment) @import)) @statement
(export_statement source: (string (string_fragment) @import)) @statement
(call_expression function: (import) arguments: (arguments (string (string_fragment) @import)))
((call_expression
  function: (identifier) @_function
  arguments: (arguments . (string (string_fragment) @import)))
  (#eq? @_function "require"))
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression !name)]) @method
(pair value: (function_expression name: (identifier) @name)) @method
(arguments (function_expression name: (identifier) @name) @function)

; references
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (property_identifier) @call))

(jsx_opening_element name: (identifier) @call (#match? @call "^[A-Z]"))
(jsx_self_closing_element name: (identifier) @call (#match? @call "^[A-Z]"))
(jsx_opening_element name: (member_expression property: (property_identifier) @call))
(jsx_self_closing_element name: (member_expression property: (property_identifier) @call))

(class_heritage [(identifier) @base (member_expression property: (property_identifier) @base)])
