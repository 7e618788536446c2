; grammar: tree_sitter_php:language_php
; endings: .php .phtml .inc
; comments: // /* * #
; silent: super this self base parent

(namespace_definition name: (namespace_name) @name body: (_)) @module
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(program (const_declaration (const_element (name) @name)) @constant)

(namespace_use_clause . [(qualified_name) (name)] @import) @statement
(require_once_expression (string (string_content) @import)) @statement
(require_expression (string (string_content) @import)) @statement
(include_expression (string (string_content) @import)) @statement
(include_once_expression (string (string_content) @import)) @statement

; references
(function_call_expression function: [(name) (qualified_name)] @call)
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression [(name) (qualified_name)] @call)
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @base)
(use_declaration [(name) (qualified_name)] @base)
