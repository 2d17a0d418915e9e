"""The benchmark: what the service reaches, beside what its database or an ordinary way reaches in the same run."""
