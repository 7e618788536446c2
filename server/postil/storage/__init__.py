"""What is kept on disk: the memory store and the code map, each in its own file."""
