"""The same backend for a standby: nobody waits for it without an end. Named in ``DATABASES``; nothing imports it."""
