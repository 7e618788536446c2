; grammar: tree_sitter_bash
; endings: .sh .bash .zsh .ksh .bats
; names: .bashrc .zshrc .profile PKGBUILD
; comments: #
; silent: local echo return source . [ test set export cd printf read shift exit declare readonly unset trap true false : eval exec let wait

(function_definition name: (word) @name) @function

((command name: (command_name (word) @_function) . argument: [(word) @import (string (string_content) @import) (string) @import (raw_string) @import]) @statement
  (#any-of? @_function "source" "."))

; references
(command name: (command_name (word) @call))
