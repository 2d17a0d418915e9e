"""Where tokens and prices come from: one committed list, and the two aggregators where an operator named them."""
