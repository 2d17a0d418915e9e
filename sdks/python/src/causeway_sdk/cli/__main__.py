"""``python -m causeway_sdk.cli``, where the command itself is not on the path."""

from causeway_sdk.cli import main

if __name__ == "__main__":
    main()
