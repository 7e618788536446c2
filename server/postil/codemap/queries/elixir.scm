; grammar: tree_sitter_elixir
; endings: .ex .exs
; comments: #
; once: yes
; silent: def defp defmacro defmacrop defmodule defprotocol defimpl defstruct defguard defguardp defdelegate defexception alias import require use if unless case cond with for quote unquote receive try moduledoc doc spec impl behaviour type typep callback

((call target: (identifier) @_form (arguments (alias) @name)) @module (#eq? @_form "defmodule"))
((call target: (identifier) @_form (arguments (alias) @name)) @interface (#eq? @_form "defprotocol"))
((call target: (identifier) @_form (arguments (alias) @name)) @container (#eq? @_form "defimpl"))
((call target: (identifier) @_form (arguments [
  (identifier) @name
  (call target: (identifier) @name)
  (binary_operator left: (call target: (identifier) @name) operator: "when")
  (binary_operator left: (identifier) @name operator: "when")
])) @function (#any-of? @_form "def" "defp" "defdelegate" "defguard" "defguardp"))
((call target: (identifier) @_form (arguments [
  (identifier) @name
  (call target: (identifier) @name)
  (binary_operator left: (call target: (identifier) @name) operator: "when")
])) @macro (#any-of? @_form "defmacro" "defmacrop"))

((call target: (identifier) @_form (arguments . (alias) @import)) @statement
  (#any-of? @_form "alias" "import" "require" "use"))

; references
(call target: (identifier) @call (arguments))
(call target: (dot right: (identifier) @call) (arguments))
(binary_operator operator: "|>" right: (identifier) @call)
((unary_operator operator: "@") @aside)
