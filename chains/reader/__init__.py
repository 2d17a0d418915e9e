"""Reading a chain block by block for everything that may be somebody's payment. Source: docs/adr/0058."""
