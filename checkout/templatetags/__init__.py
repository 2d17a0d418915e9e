"""How the payer's pages write figures and moments."""
