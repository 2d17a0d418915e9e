"""A shop of django-oscar that is paid through Causeway."""
