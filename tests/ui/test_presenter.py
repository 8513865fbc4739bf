"""Presenter view under AppTest: what is sent to the browser, and the address for the class."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pipeline.config import RunConfig
from ui import contents, keys, presenter, services, speaker_notes

PAGE = "../../pages/main.py"


@pytest.fixture
def teach(tmp_path, monkeypatch):
    """The teacher's page: it needs no run, so no trainer is started."""
    monkeypatch.setenv("LOCKSTEP_DATA", str(tmp_path))
    services.uploads.cache_clear()

    def opened(**query: str) -> AppTest:
        app = AppTest.from_file(PAGE, default_timeout=60)
        for name, value in query.items():
            app.query_params[name] = value
        app.switch_page("teach.py").run()
        assert not app.exception
        return app

    yield opened
    services.uploads.cache_clear()


def everything(app: AppTest) -> str:
    """All texts that the browser is sent."""
    return " ".join(str(element.proto) for element in app.main)


def has(app: AppTest, key: str) -> bool:
    return any(button.key == key for button in app.button)


def test_without_the_parameter_there_is_no_bar(teach) -> None:
    assert not has(teach(), keys.PRESENTER_LEAVE)


@pytest.mark.parametrize("value", ["", "Presenter", "1", "<b>"])
def test_another_value_of_the_parameter_is_the_learners_view(teach, value: str) -> None:
    assert not has(teach(view=value), keys.PRESENTER_LEAVE)


def test_every_key_stands_on_its_button(teach) -> None:
    shown = {button.key: button.proto.shortcut for button in teach(view="presenter").button}
    assert shown[keys.presenter_button("notes")] == "s"
    assert shown[keys.presenter_button("link")] == "l"
    assert shown[keys.PRESENTER_LEAVE] == "escape"


def test_the_notes_are_not_sent_before_they_are_asked_for(teach) -> None:
    app = teach(view="presenter")
    assert 'aria-label="Speaker notes"' not in everything(app)
    app.button(key=keys.presenter_button("notes")).click().run()
    assert 'aria-label=\\"Speaker notes\\"' in everything(app)
    app.button(key=keys.presenter_button("notes")).click().run()
    assert "Speaker notes" not in re.sub("Show all speaker notes", "", everything(app))


def test_leaving_brings_the_learners_view_back(teach) -> None:
    app = teach(view="presenter")
    app.button(key=keys.PRESENTER_LEAVE).click().run()
    assert not has(app, keys.PRESENTER_LEAVE)
    assert app.session_state[keys.VIEW] == ""


def test_the_teachers_page_has_a_link_into_the_presenter_view(teach) -> None:
    assert "/?replicas=3&view=presenter" in everything(teach(replicas="3"))
    assert "/?view=presenter" in everything(teach())


def test_the_class_gets_the_page_and_the_settings_and_not_the_view() -> None:
    config = RunConfig(replicas=3, order="as-is", row=17)
    here = contents.entry("distribute")
    link = urlsplit(presenter.address("http://hall:8501/", here, config, "a" * 20))
    assert (link.netloc, link.path) == ("hall:8501", "/distribute")
    query = {name: value for name, (value,) in parse_qs(link.query).items()}
    assert query.pop("run") == "a" * 20
    assert RunConfig.from_query(query) == (config, ())
    assert "view" not in query


@pytest.mark.parametrize("seen", ["/", "", "/load", "/teach/"])
@pytest.mark.parametrize("folder", ["", "/lockstep"])
def test_the_address_is_the_same_from_whatever_page_it_is_made(seen: str, folder: str) -> None:
    here = contents.entry("mirror")
    made = presenter.address(f"http://hall:8501{folder}{seen}", here, RunConfig())
    assert made == f"http://hall:8501{folder}/mirror"


def test_with_the_default_settings_the_address_is_short_enough_to_be_typed() -> None:
    first, load = contents.CONTENTS[0], contents.entry("load")
    assert presenter.address("http://hall:8501", first, RunConfig()) == "http://hall:8501/"
    assert presenter.address("http://hall:8501", load, RunConfig()) == "http://hall:8501/load"


@pytest.mark.parametrize(
    ("link", "only"),
    [
        ("http://localhost:8501/load", True),
        ("http://127.0.0.1:8501/", True),
        ("http://[::1]:8501/", True),
        ("http://hall:8501/", False),
        ("https://lesson.example/localhost", False),
    ],
)
def test_an_address_that_nobody_else_can_open_is_told(link: str, only: bool) -> None:
    assert presenter.only_here(link) is only


def test_every_page_but_the_teachers_own_has_a_note() -> None:
    pages = {entry.slug for entry in contents.CONTENTS if entry.group != contents.TEACH}
    assert pages <= set(speaker_notes.notes())


def test_a_note_says_when_its_page_is_due() -> None:
    told = dict(speaker_notes.lines("load"))
    first = speaker_notes.notes()["overview"].minutes
    assert f"minute {first} to {first + speaker_notes.notes()['load'].minutes}" in told["Minutes"]


def test_a_page_without_a_note_has_none_made_up() -> None:
    assert speaker_notes.lines("teach") == []
