"""Reads what others wrote: transcripts of agents, and what a repository says of itself."""
