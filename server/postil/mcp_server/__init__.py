"""The MCP server: a light front that answers at once, and the SDK behind it."""
