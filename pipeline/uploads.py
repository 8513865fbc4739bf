"""Learners' CSV files: each under an id that cannot be guessed, until it expires.

A config names one as `upload:ID`, so a link can carry it. A run keeps a copy of its own, so a
run does not break when the upload is gone; a link to the upload then says when it went.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipeline.sources import Csv

PREFIX = "upload:"
_ID = re.compile(r"[0-9a-f]{20}")


class UploadGone(LookupError):
    """The file is not here any more, or never was."""


@dataclass(frozen=True)
class Uploads:
    """All uploads under `folder`, kept for `hours` while all take at most `megabytes` (10^6 bytes).

    Beyond that the oldest go first: whoever uploads much takes nobody the room for a file of
    their own. `clock` gives seconds since 1970.
    """

    folder: Path
    hours: float
    megabytes: float = 1_000
    clock: Callable[[], float] = time.time

    def save(self, csv: Csv) -> str:
        """Keep a file; returns what a config's `data` says: `upload:ID`."""
        self.clear_expired()
        self._make_room(len(csv.raw))
        upload_id = secrets.token_hex(10)
        folder = self.folder / upload_id
        folder.mkdir(parents=True)
        (folder / "file.csv").write_bytes(csv.raw)
        _write(folder, {"name": csv.name, "until": self.clock() + self.hours * 3600})
        return PREFIX + upload_id

    def open(self, data: str) -> Csv:
        """The file that `data` names. Raises UploadGone, which says since when if it knows."""
        name = self.name(data)
        return Csv(name, (self._folder(data) / "file.csv").read_bytes())

    def name(self, data: str) -> str:
        """The file's own name. Raises UploadGone, as `open` does."""
        about = self._about(self._folder(data))
        if self.clock() >= about["until"]:
            when = datetime.fromtimestamp(about["until"], UTC).strftime("%-d %B %Y, %H:%M UTC")
            raise UploadGone(
                f"The file {about['name']} that this link shows was deleted on {when}. "
                "Upload it again."
            )
        return str(about["name"])

    def clear_expired(self) -> None:
        """Delete the bytes of expired files; their name and date stay for ten times as long."""
        for folder in self.folder.glob("*"):
            with contextlib.suppress(UploadGone, OSError):
                late = self.clock() - self._about(folder)["until"]
                if late > 0:
                    (folder / "file.csv").unlink(missing_ok=True)
                if late > 10 * self.hours * 3600:
                    shutil.rmtree(folder)

    def _make_room(self, wanted: int) -> None:
        """Delete the bytes of the oldest files until `wanted` more bytes fit."""
        there: list[tuple[float, int, Path]] = []
        for file in self.folder.glob("*/file.csv"):
            with contextlib.suppress(UploadGone, OSError):
                there.append((self._about(file.parent)["until"], file.stat().st_size, file))
        taken = sum(size for _, size, _ in there)
        for _, size, file in sorted(there):
            if taken + wanted <= self.megabytes * 1_000_000:
                return
            about = self._about(file.parent)
            _write(file.parent, {**about, "until": min(about["until"], self.clock())})
            file.unlink(missing_ok=True)
            taken -= size

    def _folder(self, data: str) -> Path:
        upload_id = data.removeprefix(PREFIX)
        if not _ID.fullmatch(upload_id):
            raise UploadGone(f"{data!r} is not the name of an uploaded file.")
        return self.folder / upload_id

    def _about(self, folder: Path) -> dict[str, Any]:
        try:
            about: dict[str, Any] = json.loads((folder / "about.json").read_text(encoding="utf-8"))
            return about
        except (OSError, ValueError):
            raise UploadGone(
                "The file that this link shows is not here any more. Upload it again."
            ) from None


def _write(folder: Path, about: dict[str, Any]) -> None:
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def is_upload(data: str) -> bool:
    """Whether a config's `data` names an upload."""
    return data.startswith(PREFIX)
