"""Tests of refunds."""
