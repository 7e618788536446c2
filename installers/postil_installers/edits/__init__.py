"""Edits of other programs' files: pure functions from bytes to bytes, one module for each format."""
