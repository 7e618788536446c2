; grammar: tree_sitter_yaml
; endings: .yaml .yml
; comments: #

(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @key)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @key))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @key)))))))))
