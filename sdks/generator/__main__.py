"""Writes everything that is written from the description: ``make sdks``."""

from sdks.generator import python, typescript, vectors
from sdks.generator.read import read_api


def write() -> None:
    """Write the Python SDK, the TypeScript SDK and the vectors."""
    python.write()
    for path, text in typescript.files(read_api()).items():
        path.write_text(text, encoding="utf-8")
    vectors.write()


if __name__ == "__main__":
    write()
