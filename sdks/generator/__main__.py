"""Writes everything that is written from the description: ``make sdks``."""

from sdks.generator import collection, python, typescript, vectors
from sdks.generator.read import api_of, read_document


def write() -> None:
    """Write the Python SDK, the TypeScript SDK, the collections and the vectors."""
    python.write()
    document = read_document()
    for path, text in typescript.files(api_of(document)).items():
        path.write_text(text, encoding="utf-8")
    collection.write(document)
    vectors.write()


if __name__ == "__main__":
    write()
