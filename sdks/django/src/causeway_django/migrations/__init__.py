"""The tables of causeway-django."""
