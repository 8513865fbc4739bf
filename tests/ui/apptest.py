"""Pages under AppTest with a fake trainer: nothing is trained, and every folder is a test's own."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from pipeline.config import RunConfig
from pipeline.events import RunFinished
from pipeline.launch import ROOT, TRAINER_BROKEN
from pipeline.run_log import FILE_NAME, RESULT_NAME, write_outcome
from pipeline.runs import RECORDED
from ui import services


class Trainer:
    """Starts nothing; `broken` says so at once, as where TensorFlow does not start."""

    broken = False

    def open(self, on_exit: Callable[[Path, int], None]) -> None:
        self.on_exit = on_exit
        self.launched: list[Path] = []

    def launch(self, folder: Path) -> None:
        self.launched.append(folder)
        if self.broken:
            threading.Thread(target=self.on_exit, args=(folder, TRAINER_BROKEN)).start()

    def answer(self, result: Any) -> None:
        """The last question was answered with this."""
        folder = self.launched[-1]
        (folder / RESULT_NAME).write_text(json.dumps(result))
        write_outcome(folder, RunFinished(checks={}))
        self.on_exit(folder, 0)

    def kill(self, folder: Path) -> None:
        pass

    def close(self) -> None:
        pass


def opened(page: str, *, session: dict[str, Any] | None = None, **query: Any) -> AppTest:
    """A page of the lesson (its file's name without the ending), with this query."""
    app = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = str(value)
    for name, value in (session or {}).items():
        app.session_state[name] = value
    if "_" in page:  # its URL is spelled otherwise, which is known once the pages are
        app.run()
    app.switch_page(f"{page}.py").run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    """What the page says, without Markdown's backslashes."""
    kinds = (app.title, app.markdown, app.info, app.warning)
    return "\n".join(element.value for kind in kinds for element in kind).replace("\\", "")


def html(app: AppTest) -> str:
    """The HTML of the page: its tables and lists."""
    return "\n".join(element.proto.body for element in app.get("html"))


def finished(trainer: Trainer, config: RunConfig, name: str = "shuffled-never") -> str:
    """A run of one's own that has ended: a recorded log under its settings. Returns its id."""
    run_id = services.runs().start(config, "someone")
    folder = services.runs().path(run_id)
    shutil.copy(RECORDED / name / FILE_NAME, folder)
    trainer.on_exit(folder, 0)
    return run_id
