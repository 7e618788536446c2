; grammar: tree_sitter_css
; endings: .css
; comments: /* *
; flat: yes

(id_selector (id_name) @name) @id
(class_selector (class_name) @name) @class
(declaration (property_name) @name (#match? @name "^--")) @variable

(import_statement [(string_value (string_content) @import) (call_expression (arguments [(string_value (string_content) @import) (plain_value) @import]))]) @statement
