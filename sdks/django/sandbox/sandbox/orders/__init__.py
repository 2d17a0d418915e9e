"""Orders follow their payments."""
