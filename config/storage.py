"""Static files under hashed names, ES module imports included, so that browsers may cache them for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Rewrites ``import`` paths in our unbundled modules too."""

    support_js_module_import_aggregation = True
