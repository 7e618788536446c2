"""Postil: private, local long-term memory for coding agents, tied to the code it is about."""

__version__ = "0.1.0"
