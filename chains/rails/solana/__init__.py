"""Sending on Solana: one signed transaction at a time, and another one only once it is proven dead."""
