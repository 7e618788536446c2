(function_definition
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))
  ]) @function
(declaration
  declarator: [
    (function_declarator declarator: [(identifier) (qualified_identifier)] @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (reference_declarator (function_declarator declarator: (identifier) @name))
  ]) @function
(field_declaration
  declarator: [
    (function_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
    (reference_declarator (function_declarator declarator: (field_identifier) @name))
  ]) @method
(class_specifier name: [(type_identifier) (template_type)] @name body: (_)) @class
(struct_specifier name: [(type_identifier) (template_type)] @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(preproc_function_def name: (identifier) @name) @macro
(preproc_def name: (identifier) @name) @macro

(preproc_include path: (_) @import)
