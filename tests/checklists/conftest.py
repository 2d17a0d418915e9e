"""A copy for each test."""

from pathlib import Path

import pytest

from tests.checklists.copies import Copy


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy.in_folder(tmp_path)
