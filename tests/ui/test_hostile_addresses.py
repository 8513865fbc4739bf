"""Whatever stands in an address, a page answers: with what it can use, and a sentence if not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pipeline.config import RunConfig
from tests.hostile import values
from ui import services
from ui.contents import CONTENTS

NAMES = (*RunConfig.model_fields, "run", "view", "step", "card", "nobody")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    monkeypatch.setenv("LOCKSTEP_DATA", str(tmp_path))
    made = (services.runs, services.feed, services.answers, services.uploads)
    for one in made:
        one.cache_clear()
    # Nothing is to be asked of TensorFlow here.
    monkeypatch.setattr(services, "can_train", lambda: False)
    yield AppTest.from_file("../../pages/main.py", default_timeout=60)
    services.runs().close()
    for one in made:
        one.cache_clear()


def addresses(seed: int, count: int) -> Iterator[tuple[str, dict[str, str]]]:
    """A page and a query: one hostile value or a few."""
    chance = random.Random(seed)
    hostile = values(seed, 4 * count)
    for _ in range(count):
        names = chance.sample(NAMES, chance.randint(1, 4))
        yield chance.choice(CONTENTS).file, {name: next(hostile) for name in names}


def visit(app: AppTest, seed: int, count: int) -> None:
    for page, query in addresses(seed, count):
        app.query_params.clear()
        for name, value in query.items():
            app.query_params[name] = value
        app.switch_page(page).run()
        assert not app.exception, (page, query, app.exception[0].message)


@pytest.mark.parametrize("value", ["1e309", "-1e999", "inf", "nan"])
def test_a_number_without_end_in_an_address_is_named_and_left_out(app: AppTest, value: str) -> None:
    app.query_params["global_batch"] = app.query_params["learning_rate"] = value
    app.switch_page("load.py").run()
    assert not app.exception
    (notice,) = app.warning
    assert "global" in notice.value
    assert app.session_state["global_batch"] == 256


def test_no_value_in_an_address_ends_in_an_exception(app: AppTest) -> None:
    visit(app, seed=1, count=25)


@pytest.mark.soak
def test_three_thousand_hostile_addresses_end_in_no_exception(app: AppTest) -> None:
    visit(app, seed=2, count=3_000)
