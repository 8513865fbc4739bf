"""What a page is about, when the settings of a link do not fit together."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

PAGE = "../../pages/main.py"


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCKSTEP_DATA", str(tmp_path))
    return AppTest.from_file(PAGE, default_timeout=60)


def test_one_class_each_with_too_few_rows_says_so_and_shows_shuffled_rows(app, monkeypatch):
    from ui import services

    for cached in (services.runs, services.feed, services.answers, services.uploads):
        cached.cache_clear()
    from pipeline.sources import Csv

    rows = "a,label\n1,0\n2,1\n3,1\n"
    data = services.uploads().save(Csv("three.csv", rows.encode()))
    app.query_params["data"] = data
    app.query_params["replicas"] = "8"
    app.query_params["order"] = "one-class-each"
    app.run()
    assert not app.exception
    assert any("Shuffled rows are shown instead" in warning.value for warning in app.warning)
    services.runs().close()
    services.runs.cache_clear()
