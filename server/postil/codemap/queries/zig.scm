; grammar: tree_sitter_zig
; endings: .zig
; comments: /// //! //

(function_declaration name: (identifier) @name) @function
(struct_declaration (function_declaration name: (identifier) @name) @method)
(variable_declaration (identifier) @name (struct_declaration)) @struct
(variable_declaration (identifier) @name (union_declaration)) @struct
(variable_declaration (identifier) @name (enum_declaration)) @enum
(source_file (variable_declaration "const" (identifier) @name . "=" . [
  (field_expression) (integer) (float) (string) (multiline_string) (call_expression) (identifier)
  (boolean) (binary_expression) (unary_expression) (array_type) (error_set_declaration) (anonymous_struct_initializer)
  (struct_initializer) (try_expression) (error_union_type) (slice_type) (pointer_type)
]) @constant)
(source_file (variable_declaration "const" (identifier) @name type: (_)) @constant)
(source_file (variable_declaration "var" (identifier) @name) @variable)

((builtin_function (builtin_identifier) @_function (arguments (string (string_content) @import))) @statement
  (#eq? @_function "@import"))

; references
(call_expression function: (identifier) @call)
(call_expression function: (field_expression member: (identifier) @call))
