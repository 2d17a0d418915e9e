"""The merchant's dashboard as a whole: every page of every app, walked over the map of addresses."""
