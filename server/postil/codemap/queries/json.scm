; grammar: tree_sitter_json
; endings: .json .jsonc .webmanifest

(document (object (pair key: (string (string_content) @name)) @key))
(document (object (pair value: (object (pair key: (string (string_content) @name)) @key))))
(document (object (pair value: (object (pair value: (object (pair key: (string (string_content) @name)) @key))))))
