# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What is written from the description."""
