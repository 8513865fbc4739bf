"""Runs: the queue, whose run it is, how logs are closed, what is kept. The launcher is a fake."""

from __future__ import annotations

import json
import shutil
import threading
from functools import partial
from pathlib import Path

import pytest

from pipeline import run_log
from pipeline.config import RunConfig
from pipeline.datasets import DataError
from pipeline.events import Epoch, RunFailed, RunFinished, RunStopped, Terminal
from pipeline.launch import TRAINER_BROKEN, TRAINER_DIED
from pipeline.limits import LimitError, Limits
from pipeline.runs import NotYours, Runs, UnknownRun
from pipeline.sources import Csv, read_copy
from pipeline.workers import Workers
from tests.pipeline.processes import until
from tests.pipeline.real_runs import CASES

ME, YOU = "my secret", "your secret"
FINISHED = RunFinished(checks={}, checked_steps=(1,))
EPOCH = Epoch(
    epoch=1,
    loss=0.5,
    accuracy=0.5,
    val_loss=None,
    val_accuracy=None,
    seconds=1.0,
    observation="Loss is level.",
)


class FakeLauncher:
    """A launcher without processes: `exit` is what a real run's process would do at its end."""

    def __init__(self, exits_when_killed=True):
        self.exits_when_killed = exits_when_killed
        self.launched: list[Path] = []
        self.going: list[Path] = []
        self.killed: list[Path] = []
        self.closed = False

    def open(self, on_exit):
        self.on_exit = on_exit

    def launch(self, folder):
        self.launched.append(folder)
        self.going.append(folder)

    def kill(self, folder):
        if folder in self.going:
            self.killed.append(folder)
            if self.exits_when_killed:
                self.exit(folder.name, -9)

    def close(self):
        self.closed = True

    def exit(self, run_id, status=0, outcome=None):
        folder = next(path for path in self.going if path.name == run_id)
        if outcome is not None:
            run_log.write_outcome(folder, outcome)
        self.going.remove(folder)
        self.on_exit(folder, status)

    def began(self, run_id):
        return run_id in self.ids

    @property
    def ids(self):
        return [folder.name for folder in self.launched]


class Clock:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def launcher():
    return FakeLauncher()


@pytest.fixture
def make(tmp_path, launcher):
    """Open a `Runs` on the test's folder; all are closed at the end."""
    opened = []

    def build(launcher=launcher, clock=None, **limits):
        given = {"concurrent_runs": 1, "runs_per_learner": 100} | limits
        arguments = (tmp_path / "runs", launcher, Limits(**given))
        runs = Runs(*arguments, clock) if clock else Runs(*arguments)
        runs.open()
        opened.append(runs)
        return runs

    yield build
    for runs in opened:
        runs.close()


def start(runs, owner=ME, **settings):
    return runs.start(RunConfig.checked({"epochs": 1} | settings), owner)


def last(runs, run_id):
    events = runs.events(run_id)
    assert sum(isinstance(event, Terminal) for event in events) == 1
    return events[-1]


# The queue -----------------------------------------------------------------------------------


def test_a_run_begins_at_once_when_there_is_room(make, launcher):
    runs = make()
    run_id = start(runs)
    assert launcher.ids == [run_id]
    assert runs.get(run_id).state == "running"
    assert runs.get(run_id).place is None


def test_a_run_without_room_waits_and_knows_its_place(make, launcher):
    runs = make(concurrent_runs=2)
    ids = [start(runs) for _ in range(5)]
    assert launcher.ids == ids[:2]
    assert [runs.get(run_id).state for run_id in ids] == ["running"] * 2 + ["waiting"] * 3
    assert [runs.get(run_id).place for run_id in ids] == [None, None, 1, 2, 3]


def test_waiting_runs_begin_in_the_order_they_came(make, launcher):
    runs = make()
    ids = [start(runs) for _ in range(4)]
    for number, run_id in enumerate(ids, start=1):
        until(partial(launcher.began, run_id), f"run {number} begins")
        launcher.exit(run_id, outcome=FINISHED)
    assert launcher.ids == ids


def test_places_move_up_when_a_run_ends(make, launcher):
    runs = make()
    first, second, third = (start(runs) for _ in range(3))
    launcher.exit(first, outcome=FINISHED)
    until(lambda: runs.get(second).state == "running", "the second begins")
    assert runs.get(third).place == 1


def test_never_more_runs_go_than_may(make, launcher):
    runs = make(concurrent_runs=3)
    ids = [start(runs) for _ in range(9)]
    for run_id in ids:
        until(partial(launcher.began, run_id), "its turn comes")
        assert len(launcher.going) <= 3
        launcher.exit(run_id, outcome=FINISHED)


def test_a_full_queue_refuses_with_its_length(make):
    runs = make(queue_length=2)
    for _ in range(3):
        start(runs)
    with pytest.raises(LimitError, match="2 runs are waiting already"):
        start(runs)


def test_a_server_without_a_queue_still_takes_a_run_when_there_is_room(make):
    runs = make(queue_length=0)
    start(runs)
    with pytest.raises(LimitError):
        start(runs)


def test_a_learner_may_have_only_so_many_unfinished_runs(make, launcher):
    runs = make(runs_per_learner=2)
    first, _ = start(runs), start(runs)
    with pytest.raises(LimitError, match="You have 2 unfinished runs"):
        start(runs)
    start(runs, owner=YOU)
    launcher.exit(first, outcome=FINISHED)
    start(runs)


def test_a_refused_run_leaves_nothing_behind(make):
    runs = make(runs_per_learner=1)
    kept = start(runs)
    with pytest.raises(LimitError):
        start(runs)
    assert [path.name for path in runs.folder.iterdir()] == [kept]
    assert [info.run_id for info in runs.of(ME)] == [kept]


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"replicas": 5}, "at most 4 replicas"),
        ({"epochs": 9}, "at most 8 epochs"),
        ({"epochs": 8, "global_batch": 1}, "would take 80,000 steps"),
    ],
)
def test_a_run_beyond_this_servers_limits_is_refused(make, settings, words):
    runs = make(replicas=4, epochs=8, steps=1_000)
    with pytest.raises(LimitError, match=words):
        start(runs, **settings)


def test_a_data_file_that_is_missing_is_refused(make):
    with pytest.raises(DataError, match="missing"):
        start(make(), data="mine.csv")


def test_a_csv_beyond_this_servers_limits_is_refused(make):
    raw = Csv("good.csv", (CASES / "good.csv").read_bytes())
    with pytest.raises(DataError, match="63 rows"):
        make(rows=63).start(RunConfig(data="good.csv"), ME, raw)


def test_one_class_each_with_too_few_rows_is_refused_before_it_begins(make, launcher):
    raw = Csv("three.csv", (CASES / "three_rows.csv").read_bytes())
    config = RunConfig(data="three.csv", order="one-class-each", replicas=4)
    with pytest.raises(LimitError, match="use fewer replicas"):
        make().start(config, ME, raw)
    assert launcher.ids == []


# How a run ends ------------------------------------------------------------------------------


def test_a_run_that_says_it_finished_is_finished(make, launcher):
    runs = make()
    run_id = start(runs)
    launcher.exit(run_id, outcome=FINISHED)
    assert last(runs, run_id) == FINISHED
    assert runs.get(run_id).state == "finished"
    assert runs.get(run_id).ended


def test_a_run_that_says_why_it_failed_failed_for_that_reason(make, launcher):
    runs = make()
    run_id = start(runs)
    launcher.exit(run_id, outcome=RunFailed(error="The data were odd."))
    assert last(runs, run_id) == RunFailed(error="The data were odd.")
    assert runs.get(run_id).state == "failed"


@pytest.mark.parametrize(
    "status, words",
    [
        (-9, "signal 9"),
        (-11, "signal 11"),
        (3, "exit status 3"),
        (0, "exit status 0"),
        (TRAINER_DIED, "it is started anew"),
        (TRAINER_BROKEN, "TensorFlow does not start on this server"),
    ],
)
def test_a_run_that_ends_without_a_word_failed_and_says_how(make, launcher, status, words):
    runs = make()
    run_id = start(runs)
    launcher.exit(run_id, status)
    assert words in last(runs, run_id).error
    assert runs.get(run_id).state == "failed"


def test_what_a_run_said_before_it_ended_stays(make, launcher):
    runs = make()
    run_id = start(runs)
    writer = run_log.LogWriter(runs.log_path(run_id))
    writer.write(EPOCH)
    writer._file.write(b'{"event":"ste')
    writer.close()
    launcher.exit(run_id, -9)
    assert runs.events(run_id)[0] == EPOCH
    assert isinstance(last(runs, run_id), RunFailed)


def test_an_exit_that_is_reported_twice_ends_the_run_once(make, launcher):
    runs = make()
    run_id = start(runs)
    launcher.exit(run_id, outcome=FINISHED)
    launcher.on_exit(runs.path(run_id), -9)
    assert last(runs, run_id) == FINISHED
    assert runs.get(run_id).state == "finished"


def test_stopping_a_running_run_kills_it(make, launcher):
    runs = make()
    run_id = start(runs)
    runs.stop(run_id, ME)
    assert [folder.name for folder in launcher.killed] == [run_id]
    assert last(runs, run_id) == RunStopped()
    assert runs.get(run_id).state == "stopped"


def test_stopping_does_not_wait_for_the_launchers_word(make):
    launcher = FakeLauncher(exits_when_killed=False)
    runs = make(launcher)
    run_id, waiting = start(runs), start(runs)
    runs.stop(run_id, ME)
    assert last(runs, run_id) == RunStopped()
    until(lambda: runs.get(waiting).state == "running", "the next begins")
    launcher.exit(run_id, -9)
    assert last(runs, run_id) == RunStopped()
    assert runs.get(waiting).state == "running"


def test_stopping_a_waiting_run_takes_it_out_of_the_queue(make, launcher):
    runs = make()
    first, second, third = (start(runs) for _ in range(3))
    runs.stop(second, ME)
    assert last(runs, second) == RunStopped()
    assert runs.get(third).place == 1
    launcher.exit(first, outcome=FINISHED)
    until(lambda: runs.get(third).state == "running", "the third begins")
    assert second not in launcher.ids


def test_stopping_a_run_that_has_ended_changes_nothing(make, launcher):
    runs = make()
    run_id = start(runs)
    launcher.exit(run_id, outcome=FINISHED)
    runs.stop(run_id, ME)
    assert last(runs, run_id) == FINISHED


def test_a_run_that_finishes_while_it_is_being_stopped_is_finished(make, launcher):
    runs = make()
    run_id = start(runs)
    run_log.write_outcome(runs.path(run_id), FINISHED)
    runs.stop(run_id, ME)
    assert last(runs, run_id) == FINISHED
    assert runs.get(run_id).state == "finished"


def test_stop_and_exit_at_the_same_moment_give_one_end(make):
    launcher = FakeLauncher(exits_when_killed=False)
    runs = make(launcher, concurrent_runs=30)
    ids = [start(runs, data="digits") for _ in range(30)]
    both = threading.Barrier(2)

    def stop():
        for run_id in ids:
            both.wait()
            runs.stop(run_id, ME)

    thread = threading.Thread(target=stop)
    thread.start()
    for run_id in ids:
        both.wait()
        launcher.exit(run_id, -9)
    thread.join()
    for run_id in ids:
        end = last(runs, run_id)
        state = "stopped" if isinstance(end, RunStopped) else "failed"
        assert runs.get(run_id).state == state


def test_nobody_goes_on_while_the_end_of_a_run_is_still_being_written(tmp_path, launcher):
    """Else a folder is written to while its run is deleted, and stays."""
    writing, go_on, ended = threading.Event(), threading.Event(), []

    def on_end(folder, last):
        ended.append(folder)
        if len(ended) == 1:
            writing.set()
            go_on.wait(30)

    workers = Workers(launcher, Limits())
    workers.open()
    workers.submit(tmp_path / "run", on_end)
    exits = threading.Thread(target=launcher.exit, args=("run", -9))
    exits.start()
    assert writing.wait(30)
    closes = threading.Thread(target=workers.close)
    closes.start()
    closes.join(0.3)
    went_on = not closes.is_alive()
    go_on.set()
    closes.join(30)
    exits.join(30)
    assert not went_on
    assert ended == [tmp_path / "run"]


def test_waiting_for_a_run_returns_when_it_has_ended(make, launcher):
    runs = make()
    run_id = start(runs)
    thread = threading.Timer(0.05, launcher.exit, (run_id, 0, FINISHED))
    thread.start()
    assert runs.wait(run_id, 60).state == "finished"
    thread.join()


def test_waiting_for_a_run_gives_up_in_time(make):
    runs = make()
    assert runs.wait(start(runs), 0.01).state == "running"


def test_waiting_for_a_run_that_is_deleted_meanwhile_says_so(make):
    runs = make()
    run_id = start(runs)
    thread = threading.Timer(0.05, runs.delete, (run_id, ME))
    thread.start()
    try:
        state = runs.wait(run_id, 60).state
    except UnknownRun:
        state = "gone"
    thread.join()
    assert state in ("gone", "stopped")


# Launchers that misbehave --------------------------------------------------------------------


class AtOnce(FakeLauncher):
    """Reports the end from inside `launch`, as a trainer that cannot start does."""

    def launch(self, folder):
        self.launched.append(folder)
        self.on_exit(folder, TRAINER_BROKEN)


class Refuses(FakeLauncher):
    """No process can be made, the first time."""

    def launch(self, folder):
        if not self.launched:
            self.launched.append(folder)
            raise OSError(11, "Resource temporarily unavailable")
        super().launch(folder)


def test_a_launcher_may_report_the_end_from_inside_launch(make):
    runs = make(AtOnce())
    ids = [start(runs) for _ in range(3)]
    for run_id in ids:
        assert runs.wait(run_id, 10).state == "failed"
        assert "TensorFlow does not start" in last(runs, run_id).error


def test_a_process_that_cannot_be_made_fails_the_run_with_the_reason(make):
    runs = make(Refuses())
    run_id = start(runs)
    assert "could not be started (Resource temporarily unavailable)" in last(runs, run_id).error
    assert runs.get(run_id).state == "failed"


def test_a_process_that_cannot_be_made_leaves_room_for_the_next(make):
    runs = make(Refuses())
    start(runs)
    assert runs.get(start(runs)).state == "running"


# Whose run -----------------------------------------------------------------------------------


def test_only_the_owner_may_stop_or_delete(make, launcher):
    runs = make()
    run_id = start(runs)
    for change in (runs.stop, runs.delete):
        with pytest.raises(NotYours, match="you can watch it, not change it"):
            change(run_id, YOU)
    assert launcher.killed == []
    assert runs.get(run_id).state == "running"
    assert runs.is_owner(run_id, ME)
    assert not runs.is_owner(run_id, YOU)


@pytest.mark.parametrize("run_id", ["", "0" * 20, "../..", "None"])
def test_a_run_that_is_not_there_is_unknown(make, run_id):
    runs = make()
    for use in (
        lambda: runs.get(run_id),
        lambda: runs.stop(run_id, ME),
        lambda: runs.delete(run_id, ME),
        lambda: runs.wait(run_id, 1),
        lambda: runs.is_owner(run_id, ME),
    ):
        with pytest.raises(UnknownRun, match="There is no run"):
            use()


def test_a_learner_sees_their_own_runs_newest_first(make):
    runs = make()
    mine = [start(runs), start(runs), start(runs)]
    theirs = start(runs, owner=YOU)
    assert [info.run_id for info in runs.of(ME)] == mine[::-1]
    assert [info.run_id for info in runs.of(YOU)] == [theirs]
    assert runs.of("somebody else") == []


def test_ids_are_long_and_differ(make):
    runs = make()
    ids = {start(runs, data="digits") for _ in range(20)}
    assert len(ids) == 20
    assert {len(run_id) for run_id in ids} == {20}


def test_the_owners_secret_is_written_nowhere(make):
    runs = make()
    run_id = start(runs, owner="the-secret")
    assert runs.get(run_id).owner != "the-secret"
    assert all(b"the-secret" not in p.read_bytes() for p in runs.path(run_id).rglob("*"))


def test_a_request_says_what_was_asked(make):
    runs = make()
    run_id = start(runs, replicas=3, one_thread=True)
    request = json.loads((runs.path(run_id) / "request.json").read_text())
    assert request["run_id"] == run_id
    assert RunConfig.checked(request["config"]) == runs.get(run_id).config


def test_the_csv_of_a_run_is_kept_with_it(make):
    runs = make()
    csv = Csv("my good.csv", (CASES / "good.csv").read_bytes())
    run_id = runs.start(RunConfig(data="/somewhere/my good.csv"), ME, csv)
    assert read_copy(runs.path(run_id)) == csv
    assert read_copy(runs.path(start(runs))) is None


# Deleting and clearing away ------------------------------------------------------------------


def test_a_deleted_run_is_gone(make, launcher):
    runs = make()
    run_id = start(runs)
    launcher.exit(run_id, outcome=FINISHED)
    runs.delete(run_id, ME)
    assert not (runs.folder / run_id).exists()
    assert runs.of(ME) == []
    with pytest.raises(UnknownRun):
        runs.get(run_id)


def test_deleting_a_running_run_stops_it_first(make, launcher):
    runs = make()
    run_id, waiting = start(runs), start(runs)
    runs.delete(run_id, ME)
    assert [folder.name for folder in launcher.killed] == [run_id]
    assert not (runs.folder / run_id).exists()
    until(lambda: runs.get(waiting).state == "running", "the next begins")


def test_deleting_a_waiting_run_takes_it_out_of_the_queue(make):
    runs = make()
    _, waiting, behind = (start(runs) for _ in range(3))
    runs.delete(waiting, ME)
    assert runs.get(behind).place == 1
    assert not (runs.folder / waiting).exists()


def test_deleting_a_run_that_is_cleared_away_while_it_is_stopped_works(make, launcher):
    runs = make(concurrent_runs=2, kept_runs=1)
    oldest, other = start(runs), start(runs)
    launcher.exit(other, outcome=FINISHED)
    runs.delete(oldest, ME)
    assert not (runs.folder / oldest).exists()
    assert [info.run_id for info in runs.of(ME)] == [other]


def test_only_the_newest_ended_runs_are_kept(make, launcher):
    runs = make(kept_runs=2)
    ids: list[str] = []
    for _ in range(5):
        ids.append(start(runs))
        until(lambda: ids[-1] in launcher.ids, "it begins")
        launcher.exit(ids[-1], outcome=FINISHED)
    assert [info.run_id for info in runs.of(ME)] == ids[:-3:-1]
    assert {path.name for path in runs.folder.iterdir()} == set(ids[-2:])


def test_runs_that_are_not_over_are_never_cleared_away(make, launcher):
    runs = make(concurrent_runs=2, kept_runs=1)
    long, *short = [start(runs) for _ in range(5)]
    for run_id in short[:-1]:
        until(partial(launcher.began, run_id), "it begins")
        launcher.exit(run_id, outcome=FINISHED)
    assert runs.get(long).state == "running"
    assert runs.path(long).exists()


def test_the_oldest_runs_go_when_all_together_are_too_large(make, launcher):
    runs = make(kept_megabytes=0.05)
    ids: list[str] = []
    for _ in range(4):
        ids.append(start(runs))
        until(lambda: ids[-1] in launcher.ids, "it begins")
        (runs.path(ids[-1]) / "steps").mkdir()
        (runs.path(ids[-1]) / "steps" / "step.npz").write_bytes(bytes(20_000))
        launcher.exit(ids[-1], outcome=FINISHED)
    assert [info.run_id for info in runs.of(ME)] == ids[:-3:-1]


def test_many_runs_that_end_at_once_while_others_are_cleared_away_all_end(make, launcher):
    runs = make(concurrent_runs=40, kept_runs=1, queue_length=100)
    ids = [start(runs, data="digits") for _ in range(40)]
    for run_id in ids:
        for number in range(20):
            (runs.path(run_id) / f"{number}.npz").touch()
    all_at_once = threading.Barrier(len(ids))
    raised = []

    def end(run_id):
        all_at_once.wait()
        try:
            launcher.exit(run_id, outcome=FINISHED)
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=end, args=(run_id,)) for run_id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == []
    again = [start(runs) for _ in range(40)]
    assert {runs.get(run_id).state for run_id in again} == {"running"}


# Opening and closing -------------------------------------------------------------------------


@pytest.fixture
def crashed(make, tmp_path):
    """A folder as a Lockstep that was killed leaves it: one run going, one waiting; their ids."""
    runs = make()
    ids = [start(runs), start(runs)]
    copy = tmp_path / "crashed"
    for run_id in ids:
        shutil.copytree(runs.path(run_id), copy / run_id)
    return copy, *ids


@pytest.fixture
def reopen():
    opened = []

    def build(folder):
        runs = Runs(folder, FakeLauncher())
        runs.open()
        opened.append(runs)
        return runs

    yield build
    for runs in opened:
        runs.close()


def test_opening_ends_logs_that_a_crash_left_open(crashed, reopen):
    folder, going, waiting = crashed
    writer = run_log.LogWriter(folder / going / "events.jsonl")
    writer.write(EPOCH)
    writer._file.write(b'{"event":"st')
    writer.close()
    runs = reopen(folder)
    assert runs.events(going) == [
        EPOCH,
        RunFailed(error="Lockstep was stopped while this run was going."),
    ]
    for run_id in (going, waiting):
        assert runs.get(run_id).state == "failed"
        assert isinstance(last(runs, run_id), RunFailed)


def test_opening_believes_what_a_run_said_about_its_end(crashed, reopen):
    folder, going, _ = crashed
    run_log.write_outcome(folder / going, FINISHED)
    runs = reopen(folder)
    assert runs.get(going).state == "finished"
    assert last(runs, going) == FINISHED


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"{"])
def test_opening_survives_a_damaged_outcome(crashed, reopen, damage):
    folder, going, _ = crashed
    (folder / going / run_log.OUTCOME_NAME).write_bytes(damage)
    assert reopen(folder).get(going).state == "failed"


@pytest.mark.parametrize(
    "request_text", ["", "{", "[]", '{"config": {"replicas": 99}}', '{"config": {}}', "\x00"]
)
def test_opening_leaves_a_folder_alone_that_it_cannot_read(crashed, reopen, request_text):
    folder, going, waiting = crashed
    (folder / going / "request.json").write_text(request_text)
    runs = reopen(folder)
    with pytest.raises(UnknownRun):
        runs.get(going)
    assert runs.get(waiting).state == "failed"
    assert not (folder / going / "events.jsonl").exists()


def test_opening_leaves_other_files_and_folders_alone(crashed, reopen):
    folder, going, waiting = crashed
    (folder / "notes.txt").write_text("mine")
    (folder / "elsewhere").mkdir()
    runs = reopen(folder)
    assert {info.run_id for info in runs.of(ME)} == {going, waiting}
    assert list((folder / "elsewhere").iterdir()) == []


def test_opening_leaves_a_run_alone_that_somebody_is_still_writing(crashed, reopen):
    folder, going, _ = crashed
    writer = run_log.LogWriter(folder / going / "events.jsonl")
    runs = reopen(folder)
    with pytest.raises(UnknownRun):
        runs.get(going)
    writer.write(EPOCH)
    writer.close()
    assert run_log.events(folder / going / "events.jsonl") == [EPOCH]


def test_ended_runs_are_there_after_a_restart_newest_first(make, launcher, reopen):
    runs = make()
    ids: list[str] = []
    for _ in range(6):
        ids.append(start(runs, seed=len(ids)))
        until(lambda: ids[-1] in launcher.ids, "it begins")
        launcher.exit(ids[-1], outcome=FINISHED)
        until(lambda: runs.get(ids[-1]).ended, "it ends")
        threading.Event().wait(0.003)  # `created` counts milliseconds
    before = runs.of(ME)
    runs.close()
    again = reopen(runs.folder)
    assert again.of(ME) == before
    assert [info.run_id for info in again.of(ME)] == ids[::-1]


def test_a_clock_that_was_set_back_leaves_runs_in_the_order_they_were_asked_for(
    make, launcher, reopen
):
    runs = make()
    first = start(runs)
    request = runs.path(first) / "request.json"
    runs.close()
    ahead = json.loads(request.read_text()) | {"created": "2999-01-01T00:00:00.000+00:00"}
    request.write_text(json.dumps(ahead))
    runs = make()
    later = start(runs, seed=1)
    assert [info.run_id for info in runs.of(ME)] == [later, first]
    assert runs.get(later).created >= runs.get(first).created
    runs.close()
    assert [info.created for info in reopen(runs.folder).of(ME)] == [ahead["created"]] * 2


def test_closing_ends_what_goes_and_what_waits(make, launcher):
    runs = make()
    going, waiting = start(runs), start(runs)
    runs.close()
    assert [folder.name for folder in launcher.killed] == [going]
    assert launcher.closed
    assert last(runs, going).error == "Lockstep was closed while this run was going."
    assert last(runs, waiting).error == "Lockstep was closed before this run's turn came."
    assert launcher.ids == [going]


def test_a_closed_lockstep_takes_no_runs(make):
    runs = make()
    runs.close()
    with pytest.raises(LimitError, match="closing"):
        start(runs)


# Overdue -------------------------------------------------------------------------------------


def test_a_run_that_passes_its_wall_time_is_ended(make, launcher):
    clock = Clock()
    runs = make(clock=clock, wall_seconds=600, silent_seconds=10_000)
    run_id = start(runs)
    clock.now += 601
    assert runs.wait(run_id, 10).state == "failed"
    assert "passed the 600 seconds" in last(runs, run_id).error
    assert [folder.name for folder in launcher.killed] == [run_id]


def test_a_run_that_gives_no_sign_of_life_is_ended(make, launcher):
    clock = Clock()
    runs = make(clock=clock, silent_seconds=60)
    run_id = start(runs)
    clock.now += 61
    assert runs.wait(run_id, 10).state == "failed"
    assert "no sign of life for 60 seconds" in last(runs, run_id).error
    assert [folder.name for folder in launcher.killed] == [run_id]


def test_a_line_in_the_log_is_a_sign_of_life(make):
    clock = Clock()
    runs = make(clock=clock, silent_seconds=60)
    run_id = start(runs)
    clock.now += 50
    writer = run_log.LogWriter(runs.log_path(run_id))
    writer.write(EPOCH)
    writer.close()
    until(lambda: runs.workers._active[runs.path(run_id)].sign == clock.now, "the line is noticed")
    clock.now += 50
    assert runs.workers._overdue(runs.path(run_id), runs.workers._active[runs.path(run_id)]) is None
    clock.now += 11
    assert runs.wait(run_id, 10).state == "failed"


def test_a_line_of_progress_is_a_sign_of_life_as_well(make):
    clock = Clock()
    runs = make(clock=clock, silent_seconds=60)
    run_id = start(runs)
    clock.now += 50
    (runs.path(run_id) / run_log.PROGRESS_NAME).write_text("{}\n")
    until(lambda: runs.workers._active[runs.path(run_id)].sign == clock.now, "the line is noticed")
    clock.now += 61
    assert runs.wait(run_id, 10).state == "failed"


def test_time_in_the_queue_does_not_count(make, launcher):
    clock = Clock()
    runs = make(clock=clock, wall_seconds=600, silent_seconds=60)
    first, second = start(runs), start(runs)
    clock.now += 601
    assert runs.wait(first, 10).state == "failed"
    until(lambda: runs.get(second).state == "running", "the second begins")
    assert runs.workers._overdue(runs.path(second), runs.workers._active[runs.path(second)]) is None


def test_after_an_overdue_run_the_next_one_works(make, launcher):
    clock = Clock()
    runs = make(clock=clock)
    first, second = start(runs), start(runs)
    clock.now += 601
    runs.wait(first, 10)
    until(lambda: second in launcher.ids, "the second begins")
    launcher.exit(second, outcome=FINISHED)
    assert runs.get(second).state == "finished"
