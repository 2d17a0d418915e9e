"""Each checklist of CONTRIBUTING.md, followed in a copy of the service, and what was added used there."""
