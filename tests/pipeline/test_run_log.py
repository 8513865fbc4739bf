"""A log is readable at every moment, and gets exactly one end."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from pipeline import run_log
from pipeline.events import Epoch, RunFailed, RunFinished, RunStopped, to_line
from pipeline.run_log import LogError, LogWriter, end, read, terminal
from tests.pipeline.processes import ROOT, until

FAILED = RunFailed(error="It ended.")


def epoch(number: int) -> Epoch:
    return Epoch(
        epoch=number,
        loss=0.5,
        accuracy=0.5,
        val_loss=None,
        val_accuracy=None,
        seconds=1.0,
        observation="Loss is level – größer.",
    )


def write(path, *events, tail=b""):
    writer = LogWriter(path)
    for event in events:
        writer.write(event)
    writer.close()
    with path.open("ab") as file:
        file.write(tail)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "events.jsonl"


def test_what_is_written_can_be_read(log):
    write(log, epoch(1), epoch(2), FAILED)
    assert run_log.events(log) == [epoch(1), epoch(2), FAILED]


def test_an_event_is_there_as_soon_as_it_is_written(log):
    writer = LogWriter(log)
    writer.write(epoch(1))
    assert run_log.events(log) == [epoch(1)]
    writer.close()


def test_a_log_that_is_not_there_yet_is_empty(log):
    assert read(log) == ([], 0)
    assert terminal(log) is None


def test_a_half_written_last_line_waits_until_it_is_whole(log):
    line = to_line(epoch(2)).encode()
    for cut in range(len(line)):
        log.unlink(missing_ok=True)
        write(log, epoch(1), tail=line[:cut])
        entries, offset = read(log)
        assert [entry.event for entry in entries] == [epoch(1)]
        with log.open("ab") as file:
            file.write(line[cut:])
        assert [entry.event for entry in read(log, offset)[0]] == [epoch(2)]


def test_a_reader_goes_on_from_the_end_of_any_entry(log):
    everything = [epoch(n) for n in range(1, 6)]
    write(log, *everything)
    entries, offset = read(log)
    assert offset == log.stat().st_size
    for seen, entry in enumerate(entries, start=1):
        assert [later.event for later in read(log, entry.end)[0]] == everything[seen:]


def test_a_reader_that_reads_a_little_at_a_time_misses_nothing(log):
    everything = [epoch(n) for n in range(1, 20)]
    write(log, *everything)
    limit = len(to_line(epoch(10)).encode()) + 5
    seen, offset = [], 0
    while offset < log.stat().st_size:
        entries, offset = read(log, offset, limit)
        assert entries, "no progress"
        seen += [entry.event for entry in entries]
    assert seen == everything


def test_a_line_of_a_kind_from_the_future_is_skipped(log):
    write(log, epoch(1), tail=b'{"event":"run_paused"}\n')
    entries, offset = read(log)
    assert [entry.event for entry in entries] == [epoch(1)]
    assert offset == log.stat().st_size


def test_a_line_that_is_no_event_is_told_with_its_place(log):
    write(log, epoch(1), tail=b"garbage\n")
    place = len(to_line(epoch(1)).encode())
    with pytest.raises(LogError, match=rf"events\.jsonl, byte {place}: not JSON"):
        read(log)


@pytest.mark.parametrize("last", [RunFinished(checks={}), RunStopped(), FAILED])
def test_the_end_of_a_log_is_found(log, last):
    write(log, epoch(1), last)
    assert terminal(log) == last


def test_a_log_without_an_end_has_none(log):
    write(log, epoch(1))
    assert terminal(log) is None


def test_the_end_of_a_very_long_log_is_found(log):
    line = to_line(epoch(1)).encode()
    log.write_bytes(line * (300_000 // len(line)))
    assert terminal(log) is None
    end(log, FAILED)
    assert terminal(log) == FAILED


def test_ending_a_log_appends_the_end(log):
    write(log, epoch(1))
    assert end(log, FAILED) == FAILED
    assert run_log.events(log) == [epoch(1), FAILED]


def test_ending_a_log_cuts_a_half_written_line(log):
    line = to_line(epoch(2)).encode()
    for cut in range(1, len(line)):
        log.unlink(missing_ok=True)
        write(log, epoch(1), tail=line[:cut])
        end(log, FAILED)
        assert run_log.events(log) == [epoch(1), FAILED]


def test_ending_a_log_of_nothing_but_half_a_line_leaves_the_end_alone(log):
    log.write_bytes(b'{"event":"run_sta')
    end(log, FAILED)
    assert run_log.events(log) == [FAILED]


def test_ending_a_log_that_is_not_there_makes_one(log):
    end(log, FAILED)
    assert run_log.events(log) == [FAILED]


def test_a_log_keeps_its_first_end(log):
    write(log, epoch(1))
    end(log, RunStopped())
    before = log.read_bytes()
    assert end(log, FAILED) == RunStopped()
    assert log.read_bytes() == before


def test_a_log_is_not_ended_under_a_living_writer(log):
    writer = LogWriter(log)
    writer.write(epoch(1))
    with pytest.raises(LogError, match="still writing"):
        end(log, FAILED, wait=0.05)
    assert run_log.events(log) == [epoch(1)]
    writer.close()
    assert end(log, FAILED, wait=0.05) == FAILED


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_ending_waits_for_a_writer_that_is_being_killed_in_the_middle_of_a_line(log):
    program = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from pipeline.run_log import LogWriter\n"
        "from pipeline.events import RunStopped\n"
        "writer = LogWriter(Path(sys.argv[1]))\n"
        'writer._file.write(b\'{"event":"run_st\')\n'
        "threading.Event().wait()\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program, str(log)], cwd=ROOT)
    try:
        until(lambda: log.exists() and log.stat().st_size, "the child holds the log")
        with pytest.raises(LogError):
            end(log, FAILED, wait=0)
    finally:
        child.send_signal(signal.SIGKILL)
    assert end(log, FAILED) == FAILED
    assert child.wait() == -signal.SIGKILL
    assert run_log.events(log) == [FAILED]


def test_an_outcome_is_read_back(tmp_path):
    finished = RunFinished(checks={}, checked_steps=(1, 2))
    run_log.write_outcome(tmp_path, finished)
    assert run_log.read_outcome(tmp_path) == finished


def test_there_is_no_outcome_before_one_is_written(tmp_path):
    assert run_log.read_outcome(tmp_path) is None


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe\x00", b"null", b'{"event":"run_paused"}'])
def test_a_damaged_outcome_counts_as_none(tmp_path, damage):
    (tmp_path / run_log.OUTCOME_NAME).write_bytes(damage)
    assert run_log.read_outcome(tmp_path) is None


def test_an_outcome_that_ends_nothing_counts_as_none(tmp_path):
    (tmp_path / run_log.OUTCOME_NAME).write_text(to_line(epoch(1)), encoding="utf-8")
    assert run_log.read_outcome(tmp_path) is None
