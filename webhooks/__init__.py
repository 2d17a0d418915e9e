"""The outbox of news."""
