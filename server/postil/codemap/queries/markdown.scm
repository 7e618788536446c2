; grammar: tree_sitter_markdown
; endings: .md .markdown .mdx
; sections: yes

(atx_heading heading_content: (inline) @name) @heading
(setext_heading heading_content: (paragraph) @name) @heading
(inline) @links
