"""The wire between agents' clients and Postil. Standard library only; imports nothing of ours."""
