; grammar: tree_sitter_haskell
; endings: .hs
; comments: -- {-
; once: yes

(declarations (function name: (variable) @name) @function)
(declarations (signature name: (variable) @name) @function)
(declarations (bind name: (variable) @name match: (match expression: (lambda_case))) @function)
(declarations (bind name: (variable) @name) @variable)
(local_binds (function name: (variable) @name) @function)
(type_synonym name: (name) @name) @type
(newtype name: (name) @name) @type
(data_type name: (name) @name) @type
(class name: (name) @name) @class
(class_declarations (signature name: (variable) @name) @method)
(class_declarations (function name: (variable) @name) @method)
(class_declarations (bind name: (variable) @name) @method)
(instance patterns: (type_patterns [(name) @name (parens (apply constructor: (name) @name)) (list) @name])) @container
(instance_declarations (function name: (variable) @name) @method)
(instance_declarations (bind name: (variable) @name) @method)

(import module: (module) @import) @statement

; references
(apply function: (variable) @call)
(apply function: (qualified id: (variable) @call))
(instance name: (_) @base)
