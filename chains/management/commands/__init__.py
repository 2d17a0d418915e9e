"""Commands that enrol and limit the accounts that sign."""
