"""How moments are written where a template does not say: as everywhere else in this service."""
