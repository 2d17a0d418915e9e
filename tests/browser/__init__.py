"""What people see and do: a real Chromium against the whole service, started by the one command."""
