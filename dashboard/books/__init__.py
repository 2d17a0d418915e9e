"""The merchant's books: balances, what was booked, statements, and each entry's way back to its transaction."""
