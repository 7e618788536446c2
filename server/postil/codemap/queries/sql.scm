; grammar: tree_sitter_sql
; endings: .sql .ddl
; comments: -- /* *

(create_table (object_reference) @name) @table
(create_view (object_reference) @name) @view
(create_materialized_view (object_reference) @name) @view
(create_function (object_reference) @name) @function
(create_trigger (keyword_trigger) . (object_reference) @name) @trigger
(create_index column: (identifier) @name) @index
(create_type (object_reference) @name) @type
