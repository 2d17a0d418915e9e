"""Webhooks: endpoints, events, deliveries."""
