; grammar: tree_sitter_dockerfile
; endings: .dockerfile
; names: Dockerfile Containerfile Dockerfile.*
; comments: #
; flat: yes

(from_instruction as: (image_alias) @name) @target

(from_instruction (image_spec) @import) @statement
