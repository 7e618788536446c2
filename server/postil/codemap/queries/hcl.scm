; grammar: tree_sitter_hcl
; endings: .tf .tfvars .hcl
; comments: # // /* *

(config_file (body (block . (identifier) @name . (block_start)) @block))
(config_file (body (block . (identifier) @name . (string_lit (template_literal) @name) . (block_start)) @block))
(config_file (body (block . (identifier) @name . (string_lit (template_literal) @name) . (string_lit (template_literal) @name) . (block_start)) @block))
(config_file (body (attribute (identifier) @name) @key))

((block (identifier) @_type (body (attribute (identifier) @_key (expression (literal_value (string_lit (template_literal) @import)))) @statement))
  (#eq? @_type "module") (#eq? @_key "source"))
