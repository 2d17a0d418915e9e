"""The theatre: what happened to a payment as a file, and played again in test mode, step by step."""
