"""Receivers of webhooks for Django, FastAPI and Starlette, and Flask: verified, typed, and answered.

Each module needs its framework and nothing else. ``secrets`` come from CAUSEWAY_WEBHOOK_SECRET where they are not
given, several separated by commas.
"""
