"""What no input may do: break the service, or get an answer that the description does not know."""
