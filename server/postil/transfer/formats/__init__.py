"""Memories of other tools, read as drafts. What is no memory in them is counted, not guessed."""
