"""Results to take away. Each file is made when its button is pressed, so nothing leaves before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from quiz.attempt import Attempt
from quiz.export import anki_cards, attempts_csv, attempts_json
from ui import keys, services
from ui.quiz.wording import say

Writer = Callable[[Iterable[Attempt]], str]
FILES: dict[str, tuple[Writer, str, str]] = {
    "csv": (attempts_csv, "lockstep-quiz.csv", "text/csv"),
    "json": (attempts_json, "lockstep-quiz.json", "application/json"),
    "anki": (anki_cards, "lockstep-anki.txt", "text/plain"),
}


def draw(learner_id: str) -> None:
    """A button for each file."""
    st.subheader(say("take_away"), anchor=False)
    st.markdown(say("take_away_help"))
    with st.container(horizontal=True, gap="small"):
        for name, (write, file_name, mime) in FILES.items():
            st.download_button(
                say(name),
                data=written(write, learner_id),
                file_name=file_name,
                mime=mime,
                on_click="ignore",
                key=keys.quiz_part("download", name),
            )


def written(write: Writer, learner_id: str) -> Callable[[], bytes]:
    """The file as it is when it is asked for. Spreadsheets need the mark to read UTF-8."""

    def make() -> bytes:
        text = write(services.attempts().all_of(learner_id))
        return text.encode("utf-8-sig" if write is attempts_csv else "utf-8")

    return make
