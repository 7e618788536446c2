"""The command line: the only part that knows every face."""
