"""Static files under hashed names, ES module imports included, so that browsers may cache them for ever."""

from collections.abc import Iterator
from typing import IO, Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.minified import is_minified, minified


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Rewrites ``import`` paths in our unbundled modules too, and keeps our own files without comments."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 12
    """Why so many: a name holds the names of what the module imports, one more pass for each step down."""

    def save(self, name: str, content: IO[Any], max_length: int | None = None) -> str:
        """Keep a file as browsers get it."""
        if is_minified(name):
            content = ContentFile(minified(name, content.read().decode()).encode())
        saved: str = super().save(name, content, max_length)
        return saved

    def post_process(self, paths: dict[str, tuple[Any, str]], *arguments: Any, **options: Any) -> Iterator[Any]:
        """Name and compress the files. Why other paths: what is kept here is shorter than where it came from."""
        ours = {name: (self, name) for name in paths if is_minified(name)}
        yield from super().post_process(paths | ours, *arguments, **options)
