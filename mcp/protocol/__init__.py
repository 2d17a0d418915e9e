"""The Model Context Protocol as pure functions: JSON-RPC, two eras, no database and no payments."""
