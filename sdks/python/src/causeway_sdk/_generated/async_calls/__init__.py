# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Methods that are awaited."""
