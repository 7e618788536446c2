; grammar: tree_sitter_python
; endings: .py .pyi .pyw
; names: SConstruct SConscript
; comments: #
; silent: super this self base parent

(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(type_alias_statement
  left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type

(import_statement name: (dotted_name) @import) @statement
(import_statement name: (aliased_import name: (dotted_name) @import)) @statement
(import_from_statement module_name: (_) @import) @statement
(future_import_statement "__future__" @import) @statement

; references
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(class_definition superclasses: (argument_list [
  (identifier) @base
  (attribute attribute: (identifier) @base)
  (subscript value: [(identifier) @base (attribute attribute: (identifier) @base)])
]))
