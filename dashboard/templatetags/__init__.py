"""Words for templates of the sign-in library."""
