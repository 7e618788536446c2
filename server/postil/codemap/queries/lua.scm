; grammar: tree_sitter_lua
; endings: .lua
; comments: --
; silent: require

(function_declaration name: [(identifier) (dot_index_expression)] @name) @function
(function_declaration name: (method_index_expression) @name) @method
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name)
  (expression_list . value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @function
(chunk (variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: [
    (string) (number) (table_constructor) (identifier) (binary_expression) (true) (false) (nil)
    (unary_expression) (dot_index_expression)
  ])) @variable))
(chunk (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: [(string) (number) (table_constructor) (identifier) (binary_expression)])) @variable)

((function_call name: (identifier) @_function arguments: (arguments . (string content: (string_content) @import))) @statement
  (#eq? @_function "require"))

; references
(function_call name: (identifier) @call)
(function_call name: (dot_index_expression field: (identifier) @call))
(function_call name: (method_index_expression method: (identifier) @call))
