"""Many at once, slow ones, and those who vanish: everyone gets a run or a sentence."""

from __future__ import annotations

import contextlib
import random
import socket
import urllib.parse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets import ConnectionClosed

from benchmarks.machine import private_megabytes
from pipeline import run_log
from pipeline.limits import Limits
from pipeline.recordings import DEFAULT
from tests.faults.session import Session
from tests.pipeline.processes import alive, descendants, until
from tests.serving import Serve, Server, healthy

KEPT_FOR_A_RETURN = 60
"""Megabytes that Streamlit may hold for a while for tabs that were cut off and may come back."""


def press_train(server: Server) -> str:
    """A new learner opens Train and presses the button; what became of it."""
    with Session.opened(server.url) as learner:
        learner.open("train", "epochs=200&global_batch=100").press("train_button")
        assert not learner.broken()
        if learner.run_id:
            return "taken"
        assert "as many as this server queues" in learner.words()
        return "refused"


def all_at_once(server: Server, learners: int, *, queue: int) -> None:
    """Press Train in many browsers together; the limits hold and nobody is left without a word."""
    with ThreadPoolExecutor(learners) as crowd:
        became = Counter(crowd.map(press_train, [server] * learners))
    room = Limits().concurrent_runs + queue
    assert became == {"taken": room, "refused": learners - room}
    assert healthy(server)
    family = descendants(server.process.pid)
    server.stop()
    until(lambda: not any(map(alive, family)), "no process is left")
    logs = list((server.data / "runs").glob("*/events.jsonl"))
    assert len(logs) == room
    assert all(map(run_log.terminal, logs)), "every run has an end"


def test_more_runs_than_the_queue_takes_are_refused_in_a_sentence(serve: Serve, tmp_path) -> None:
    all_at_once(serve(tmp_path / "data", LOCKSTEP_QUEUE_LENGTH="2"), 8, queue=2)


@pytest.mark.soak
def test_a_hundred_runs_at_once_are_queued_or_refused(serve: Serve, tmp_path) -> None:
    all_at_once(serve(tmp_path / "data"), 100, queue=Limits().queue_length)


def cut_off(server: Server, count: int) -> None:
    """Ask for a page over the websocket and vanish before the answer, without a goodbye."""
    for _ in range(count):
        with Session.opened(server.url) as learner:
            learner.ask("train", "")
            learner.line.socket.shutdown(socket.SHUT_RDWR)


def watch_without_reading(server: Server, run_id: str, count: int, held: contextlib.ExitStack):
    """Viewers of a run's stream who never read a byte."""
    host = urllib.parse.urlsplit(server.url)
    for _ in range(count):
        line = held.enter_context(socket.create_connection((str(host.hostname), host.port or 80)))
        line.sendall(f"GET /runs/{run_id}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def endure(server: Server, *, slow: int, vanished: int) -> None:
    """A run goes to its end beside slow and vanished viewers, and memory comes back."""
    press_page = "epochs=5&data=digits"
    with Session.opened(server.url) as learner, contextlib.ExitStack() as held:
        learner.open("train")
        cut_off(server, 10)
        before = private_megabytes(server.process.pid)
        run_id = learner.open("train", press_page).press("train_button").run_id
        watch_without_reading(server, run_id, slow, held)
        watch_without_reading(server, DEFAULT, slow, held)
        cut_off(server, vanished)
        log = server.data / "runs" / run_id / run_log.FILE_NAME
        until(lambda: run_log.terminal(log), "the run ends")
        assert healthy(server)
        assert not learner.open("train", learner.query).broken()
    grown = private_megabytes(server.process.pid) - before
    print(f"\n{vanished} vanished, {2 * slow} slow: {before:.0f} MB and {grown:+.0f}")
    assert grown < KEPT_FOR_A_RETURN


def test_slow_and_vanished_viewers_hold_up_nobody(serve: Serve, tmp_path) -> None:
    endure(serve(tmp_path / "data"), slow=20, vanished=20)


@pytest.mark.soak
def test_hundreds_of_slow_and_vanished_viewers_hold_up_nobody(serve: Serve, tmp_path) -> None:
    endure(serve(tmp_path / "data"), slow=200, vanished=500)


def talk_nonsense(server: Server, seed: int, count: int) -> None:
    """Messages that are no messages, and some that nearly are."""
    chance = random.Random(seed)
    for _ in range(count):
        asked = BackMsg()
        asked.rerun_script.page_script_hash = chance.choice(("", "\0" * 50, "train"))
        asked.rerun_script.query_string = "=&?" * chance.randrange(10_000)
        asked.rerun_script.widget_states.widgets.add(id="$$ID-x-seed", json_value="{" * 1_000)
        nonsense = (
            chance.randbytes(chance.randrange(1, 2_000)),
            chance.randbytes(chance.randrange(1, 2_000)).hex(),
            asked.SerializeToString(),
            bytes(3_000_000),
        )
        with contextlib.suppress(ConnectionClosed), Session.opened(server.url) as learner:
            learner.line.send(chance.choice(nonsense))
    assert healthy(server)
    with Session.opened(server.url) as learner:
        assert not learner.open("train").broken()


def test_nonsense_over_the_websocket_hurts_nobody_else(server: Server) -> None:
    talk_nonsense(server, seed=1, count=20)


@pytest.mark.soak
def test_a_thousand_pieces_of_nonsense_hurt_nobody_else(server: Server) -> None:
    talk_nonsense(server, seed=2, count=1_000)
