"""The language server: memories in the margin of any editor."""
