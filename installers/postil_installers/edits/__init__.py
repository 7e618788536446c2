"""Edits of other programs' files: pure functions on bytes, a module for each format."""
