"""Who may do what: every route there is, against every kind of caller."""
