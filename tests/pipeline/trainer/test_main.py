"""The warm trainer's protocol, spoken by hand over its pipes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any

import pytest

from pipeline import run_log
from pipeline.config import RunConfig
from pipeline.events import RunFinished
from tests.pipeline.processes import ROOT, alive, children, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """One whole conversation: what was said, and which processes were left at its end."""
    base = tmp_path_factory.mktemp("spoken")
    trainer: Any
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline.trainer"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as trainer:

        def say(raw):
            trainer.stdin.write(raw)
            trainer.stdin.flush()

        def hear():
            return json.loads(trainer.stdout.readline())

        def folder(name, epochs):
            (base / name).mkdir()
            config = RunConfig(data="digits", epochs=epochs).model_dump()
            (base / name / "request.json").write_text(
                json.dumps({"run_id": name, "config": config})
            )
            return str(base / name)

        try:
            short, long, left = folder("short run", 1), folder("long", 1_000), folder("left", 1_000)
            heard = {"ready": hear(), "children": children(trainer.pid)}
            line = json.dumps({"run": short}) + "\n"
            say(line[:5])
            say(line[5:])  # a line may come in pieces, and several at once
            heard["short"] = [hear(), hear()]
            say(json.dumps({"run": long}) + "\n" + json.dumps({"kill": long}) + "\n")
            heard["long"] = [hear(), hear()]
            say(json.dumps({"kill": "/nowhere"}) + "\n" + json.dumps({"run": left}) + "\n")
            heard["left"] = hear()
            trainer.send_signal(signal.SIGINT)
            heard["after ctrl-c"] = alive(trainer.pid)
            until((base / "left" / run_log.FILE_NAME).exists, "the last run begins")
        finally:
            trainer.stdin.close()
        heard["status"] = trainer.wait(30)
        heard["left alive"] = alive(heard["left"]["pid"])
    return base, heard


def test_the_trainer_says_when_it_is_ready_and_has_no_child_then(spoken):
    _, heard = spoken
    assert heard["ready"] == {"ready": True}
    assert heard["children"] == []


def test_a_run_is_told_when_it_starts_and_when_it_has_exited(spoken):
    base, heard = spoken
    started, exited = heard["short"]
    assert started["started"] == str(base / "short run")
    assert exited == {"exited": str(base / "short run"), "status": 0}
    assert isinstance(run_log.read_outcome(base / "short run"), RunFinished)


def test_a_killed_run_is_told_with_its_signal(spoken):
    base, heard = spoken
    assert heard["long"][1] == {"exited": str(base / "long"), "status": -9}


def test_ctrl_c_is_left_to_the_parent(spoken):
    assert spoken[1]["after ctrl-c"]


def test_the_trainer_ends_with_its_input_and_takes_its_children_along(spoken):
    _, heard = spoken
    assert heard["status"] == 0
    assert not heard["left alive"]
