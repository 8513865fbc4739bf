"""What tests of pages share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.apptest import Trainer
from ui import learner, services


@pytest.fixture
def trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trainer]:
    """The app's services made anew over an empty folder, with a trainer that starts nothing."""
    fake = Trainer()
    monkeypatch.setenv("LOCKSTEP_DATA", str(tmp_path))
    monkeypatch.setattr(services, "default_launcher", lambda *_: fake)
    monkeypatch.setattr(services, "can_train", lambda: True)
    monkeypatch.setattr(learner, "owner", lambda: "someone")
    cached = (services.runs, services.uploads, services.answers, services.feed, services.ended)
    for made in cached:
        made.cache_clear()
    yield fake
    services.runs().close()
    for made in cached:
        made.cache_clear()
