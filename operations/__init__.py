"""What operators see and check: their screens, the invariants, supervision of the embedded form."""
