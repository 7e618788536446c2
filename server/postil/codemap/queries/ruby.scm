; grammar: tree_sitter_ruby
; endings: .rb .rake .gemspec .ru
; names: Rakefile Gemfile Guardfile
; comments: #
; silent: require require_relative load include extend prepend

(module name: [(constant) (scope_resolution)] @name) @module
(class name: [(constant) (scope_resolution)] @name) @class
(method name: (_) @name) @function
(module body: (body_statement (method name: (_) @name) @method))
(singleton_method name: (_) @name) @method
(program (assignment left: (constant) @name) @constant)
(body_statement (assignment left: (constant) @name) @constant)

((call method: (identifier) @_function arguments: (argument_list . (string (string_content) @import))) @statement
  (#any-of? @_function "require" "require_relative" "load"))

; references
(call method: [(identifier) (constant)] @call)
(superclass [(constant) @base (scope_resolution name: (constant) @base)])
((call method: (identifier) @_mixin arguments: (argument_list [(constant) @base (scope_resolution name: (constant) @base)]))
  (#any-of? @_mixin "include" "extend" "prepend"))
