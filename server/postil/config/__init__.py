"""Settings and folders."""
