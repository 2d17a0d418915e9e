"""Every sentence of the payer's page that its scripts say, once, marked for translation."""
