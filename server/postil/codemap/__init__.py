"""The code map: which files there are, which symbols they hold, and how to find them."""
