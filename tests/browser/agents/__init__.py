"""The official agent SDKs against the whole service, with a person at Chromium."""
