"""Questions to TensorFlow: asked once, kept, asked again only when they failed."""

from __future__ import annotations

import json
import os

import pytest

from pipeline import answers, run_log
from pipeline.answers import Answers
from pipeline.events import RunFailed, RunFinished
from pipeline.limits import LimitError, Limits
from pipeline.workers import Workers


class OneByOne:
    """A launcher whose work is done when the test says so."""

    def __init__(self):
        self.going = []

    def open(self, on_exit):
        self.on_exit = on_exit

    def launch(self, folder):
        self.going.append(folder)

    def kill(self, folder):
        pass

    def close(self):
        pass

    def answer(self, result):
        folder = self.going.pop(0)
        (folder / run_log.RESULT_NAME).write_text(json.dumps(result))
        run_log.write_outcome(folder, RunFinished(checks={}))
        self.on_exit(folder, 0)

    def fail(self, error):
        folder = self.going.pop(0)
        run_log.write_outcome(folder, RunFailed(error=error))
        self.on_exit(folder, 0)


@pytest.fixture
def launcher():
    return OneByOne()


@pytest.fixture
def asked(tmp_path, launcher):
    workers = Workers(launcher, Limits(concurrent_runs=1, queue_length=1))
    workers.open()
    yield Answers(tmp_path / "answers", workers, tmp_path / "recorded")
    workers.close()


def test_a_question_is_asked_once_however_many_learners_press(asked, launcher):
    first = [asked.ask("probe", {"n": 2}) for _ in range(30)]
    assert {answer.key for answer in first} == {first[0].key}
    assert len(launcher.going) == 1
    launcher.answer({"copies": 2})
    again = asked.ask("probe", {"n": 2})
    assert (again.state, again.result) == ("done", {"copies": 2})
    assert launcher.going == []


def test_other_arguments_are_another_question(asked, launcher):
    assert asked.ask("probe", {"n": 2}).key != asked.ask("probe", {"n": 3}).key


def test_all_questions_of_a_task_are_listed_the_oldest_first(asked, launcher):
    assert asked.asked("probe") == []
    first, second = asked.ask("probe", {"n": 1}).key, ""
    launcher.answer({"copies": 1})
    asked.wait(first, 20)
    os.utime(asked.folder / first / "request.json", (1, 1))
    second = asked.ask("probe", {"n": 2}).key
    asked.ask("another", {})
    found = asked.asked("probe")
    assert [(answer.key, answer.state) for answer in found] == [(first, "done"), (second, "asked")]
    (asked.folder / "half-made").mkdir()
    assert len(asked.asked("probe")) == 2


def test_another_tensorflow_is_asked_anew(asked, monkeypatch):
    before = answers.question_key("probe", {})
    monkeypatch.setattr(answers, "_versions", lambda: ["tensorflow 99"])
    assert answers.question_key("probe", {}) != before


def test_a_question_that_failed_says_why_and_is_asked_again(asked, launcher):
    key = asked.ask("probe", {}).key
    launcher.fail("It broke.")
    failed = asked.get(key)
    assert (failed.state, failed.error) == ("failed", "It broke.")
    assert asked.ask("probe", {}).state == "asked"
    launcher.answer(1)
    assert asked.wait(key, 10).result == 1


def test_a_question_that_was_never_asked_is_not_known(asked):
    assert asked.known("probe", {}) is None


def test_an_answer_is_still_there_after_a_restart(asked, launcher, tmp_path):
    asked.ask("probe", {})
    launcher.answer("kept")
    workers = Workers(OneByOne(), Limits())
    kept = Answers(tmp_path / "answers", workers).known("probe", {})
    assert kept is not None
    assert kept.result == "kept"


def test_a_question_cut_off_by_a_crash_counts_as_failed(asked, tmp_path):
    key = asked.ask("probe", {}).key
    afresh = Answers(tmp_path / "answers", Workers(OneByOne(), Limits()))
    cut_off = afresh.get(key)
    assert cut_off is not None
    assert cut_off.state == "failed"


def test_a_full_queue_is_refused_and_leaves_nothing_behind(asked, tmp_path):
    asked.ask("probe", {"n": 1})
    asked.ask("probe", {"n": 2})
    with pytest.raises(LimitError, match="waiting already"):
        asked.ask("probe", {"n": 3})
    assert asked.known("probe", {"n": 3}) is None


def test_places_are_read_by_the_task_but_do_not_name_the_question(asked, launcher, tmp_path):
    one = asked.ask("what-if", {"run": "r"}, {"run_folder": tmp_path / "here"})
    request = json.loads((one.folder / "request.json").read_text())
    assert request["arguments"] == {"run": "r", "run_folder": str(tmp_path / "here")}
    assert asked.ask("what-if", {"run": "r"}, {"run_folder": tmp_path / "there"}).key == one.key


def test_a_recorded_answer_is_found_whatever_the_versions(asked, tmp_path):
    folder = tmp_path / "recorded" / answers.recorded_key("probe", {"n": 2})
    folder.mkdir(parents=True)
    (folder / run_log.RESULT_NAME).write_text('"recorded"')
    assert asked.recorded("probe", {"n": 2}).result == "recorded"
    assert asked.recorded("probe", {"n": 3}) is None
