"""`python -m pipeline run`: one real training in the terminal.

Without `--json`: stages, a progress bar, the epoch table and the checks. With it: the events of
`pipeline.events` on standard output, one JSON object a line, and nothing else there. Exit status
0 finished, 1 failed, 2 bad arguments or data, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pipeline import recordings, run_log, what_if_command
from pipeline.answers import Answers
from pipeline.config import SETTINGS, ConfigError, RunConfig, Setting
from pipeline.datasets import BUILT_IN, DataError
from pipeline.events import Event, RunFailed, RunStopped, Terminal, to_line
from pipeline.launch import FreshProcess, default_launcher
from pipeline.limits import LimitError, Limits
from pipeline.report import Report
from pipeline.runs import Runs
from pipeline.sources import Csv, is_built_in

ME = "the command line"


class Parser(argparse.ArgumentParser):
    """argparse with one plain sentence on standard error and exit status 2."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(2)


def parser() -> Parser:
    """The command line; every setting of `RunConfig` is a flag."""
    top = Parser(prog="python -m pipeline", description="Lockstep's pipeline in the terminal.")
    commands = top.add_subparsers(dest="command", required=True, parser_class=Parser)
    run = commands.add_parser("run", help="train once and show what happened")
    for setting in SETTINGS.values():
        _add_flag(run, setting)
    record = commands.add_parser("record", help="make the recordings that ship anew (minutes)")
    record.add_argument("--only", choices=("runs", "answers", "scaling"), help="make only these")
    again = commands.add_parser("what-if", help="one kept step again, with and without one row")
    again.add_argument("folder", help="the run's folder, as `run --keep` leaves it")
    again.add_argument("--row", type=int, help="training row, from 0 (default: the run's own)")
    again.add_argument("--json", action="store_true", help="print one JSON object")
    run.add_argument("--json", action="store_true", help="print events as JSON lines, nothing else")
    run.add_argument("--keep", metavar="FOLDER", help="keep the run's log and steps under FOLDER")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, run, show; returns the exit status."""
    options = vars(parser().parse_args(arguments))
    if options["command"] == "record":
        return _record(options["only"])
    try:
        if options["command"] == "what-if":
            with _folder(None) as scratch:
                seen = what_if_command.what_if(
                    Path(options["folder"]), options["row"], FreshProcess(), scratch
                )
            print(json.dumps(seen) if options["json"] else what_if_command.told(seen))
            return 0
        given = {n: options[n] for n in SETTINGS if options[n] is not None}
        config = RunConfig.checked(given)
        csv = None if is_built_in(config.data) else _read(config.data)
        with _folder(options["keep"]) as folder:
            return _run(config, csv, folder, as_json=options["json"])
    except (ConfigError, DataError, LimitError) as error:
        print(f"python -m pipeline {options['command']}: {error}", file=sys.stderr)
        if isinstance(error, DataError) and error.offers:
            print(
                f"Try: --leave-out {'+'.join(sorted(error.offers, reverse=True))}", file=sys.stderr
            )
        return 2
    except KeyboardInterrupt:  # before there was a run to stop
        return 130
    except BrokenPipeError:  # whoever read our output has gone, as in `... --json | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _record(only: str | None) -> int:
    with _folder(None) as folder:
        alone = Limits(concurrent_runs=1, queue_length=1_000)  # two at a time disturb each other
        runs = Runs(folder / "runs", default_launcher(folder / "trainer.log"), alone)
        runs.open()
        try:
            if only in (None, "runs"):
                recordings.record(runs, print)
                runs.load_recorded()
            if only != "runs":
                asked = Answers(folder / "answers", runs.workers)
                tasks = ("scaling", "rate-rule") if only == "scaling" else ()
                recordings.record_answers(runs, asked, print, tasks)
        finally:
            runs.close()
    return 0


def _run(config: RunConfig, csv: Csv | None, folder: Path, *, as_json: bool) -> int:
    # No server's limits in one's own terminal: only what keeps a run from hanging.
    limits = Limits(
        steps=10_000_000,
        epochs=1_000,
        wall_seconds=86_400,
        rows=10_000_000,
        columns=100_000,
        upload_megabytes=10_000,
    )
    runs = Runs(folder, FreshProcess(), limits)
    runs.open()
    try:
        run_id = runs.start(config, ME, csv)
        try:
            last = _show(runs, run_id, as_json=as_json)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            runs.stop(run_id, ME)
            last = run_log.terminal(runs.log_path(run_id)) or RunStopped()
            if as_json:
                _print(last)
            else:
                print("\nStopped.")
    finally:
        runs.close()
    if isinstance(last, RunFailed):
        print(f"python -m pipeline run: {last.error}", file=sys.stderr)
        return 1
    return 130 if isinstance(last, RunStopped) else 0


def _show(runs: Runs, run_id: str, *, as_json: bool) -> Terminal:
    """Print events as they come, until the last one."""
    with contextlib.nullcontext() if as_json else Report() as report:
        for event in _follow(runs.log_path(run_id)):
            if report is None:
                _print(event)
            else:
                report.show(event)
            if isinstance(event, Terminal):
                return event
    raise AssertionError("a log ends with a terminal event")


def _print(event: Event) -> None:
    sys.stdout.write(to_line(event))
    sys.stdout.flush()


def _follow(path: Path) -> Iterator[Event]:
    offset = 0
    while True:
        entries, offset = run_log.read(path, offset)
        for entry in entries:
            yield entry.event
            if isinstance(entry.event, Terminal):
                return
        if not entries:
            time.sleep(0.02)


def _read(name: str) -> Csv:
    path = Path(name)
    try:
        return Csv(path.name, path.read_bytes())
    except OSError as error:
        known = ", ".join(BUILT_IN)
        raise DataError(
            (f"{name}: {error.strerror or error}; give one of {known}, or a CSV file",)
        ) from None


@contextlib.contextmanager
def _folder(keep: str | None) -> Iterator[Path]:
    if keep:
        try:
            Path(keep).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError((f"--keep {keep}: {error.strerror}; give a folder",)) from None
        yield Path(keep)
        return
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        yield Path(folder)


def _add_flag(to: argparse.ArgumentParser, setting: Setting) -> None:
    default = setting.default if setting.default != "" else "none"
    text = f"{setting.help} (default {default})".replace("%", "%%")
    extra: dict[str, Any] = {"help": text, "dest": setting.name}
    if setting.kind is bool:
        to.add_argument(setting.flag, action="store_const", const=True, **extra)
    else:
        shown = "{" + ",".join(setting.choices) + "}" if setting.choices else setting.name.upper()
        to.add_argument(setting.flag, metavar=shown, **extra)


if __name__ == "__main__":
    sys.exit(main())
