"""The memory core: writing, recall, ranking."""
