; grammar: tree_sitter_java
; endings: .java
; comments: // /* *
; silent: super this self base parent

(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method

(import_declaration [(scoped_identifier) (identifier)] @import (asterisk)? @_all) @statement

; references
(method_invocation name: (identifier) @call)
(object_creation_expression type: [
  (type_identifier) @call
  (generic_type [(type_identifier) @call (scoped_type_identifier (type_identifier) @call .)])
  (scoped_type_identifier (type_identifier) @call .)
])
(superclass [(type_identifier) @base (generic_type (type_identifier) @base) (scoped_type_identifier (type_identifier) @base .)])
(super_interfaces (type_list [(type_identifier) @base (generic_type (type_identifier) @base) (scoped_type_identifier (type_identifier) @base .)]))
(extends_interfaces (type_list [(type_identifier) @base (generic_type (type_identifier) @base) (scoped_type_identifier (type_identifier) @base .)]))
