"""The books: what each payment, refund and payout means in money, as postings in which debits equal credits."""
