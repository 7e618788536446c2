"""What the server shows: pure functions from a workspace and a document to plain values."""
