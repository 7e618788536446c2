; grammar: tree_sitter_make
; endings: .mk .mak
; names: Makefile makefile GNUmakefile
; comments: #
; flat: yes

(rule (targets (word) @name) (#not-match? @name "^[.]|[%$]")) @target
(rule (targets (concatenation) @name) (#not-match? @name "^[.]|[%$]")) @target
(variable_assignment name: (word) @name) @variable

(include_directive filenames: (list (word) @import)) @statement
