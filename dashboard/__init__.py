"""The merchant's screens, on Django's admin site: a floor above everything that they show."""
