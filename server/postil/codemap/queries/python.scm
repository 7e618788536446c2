; A capture named after a kind is the definition; @name is its name; @import is a module.
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(type_alias_statement
  left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type

(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
