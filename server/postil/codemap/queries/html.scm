; grammar: tree_sitter_html
; endings: .html .htm .xhtml
; flat: yes

((element (start_tag (attribute (attribute_name) @_name [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))) @id (#eq? @_name "id"))
((element (self_closing_tag (attribute (attribute_name) @_name [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))) @id (#eq? @_name "id"))
((script_element (start_tag (attribute (attribute_name) @_name [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))) @id (#eq? @_name "id"))
((script_element (start_tag (attribute (attribute_name) @_name [(quoted_attribute_value (attribute_value) @import) (attribute_value) @import]))) @statement (#eq? @_name "src"))
((element [(start_tag (tag_name) @_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @import))) (self_closing_tag (tag_name) @_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @import)))]) @statement (#eq? @_tag "link") (#eq? @_name "href"))
