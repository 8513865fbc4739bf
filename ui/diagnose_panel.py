"""Why is it not faster? A learner's own numbers in, the likely reason and what to try out."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pipeline.diagnose import GOOD, Diagnosis, Told, diagnose
from ui import diagnose_form, frame, keys, lesson
from ui.words import Words, number, words

SECONDS = ("one", "many", "ideal", "lost", "ring")
SHARES = ("efficiency", "better", "part")
"""Which numbers are times in seconds, and which are shares. The others are counts or factors."""


def section(page: lesson.Page) -> None:
    """The form, and under it what it means."""
    said = words("faster-diagnose")
    st.header(said.title, anchor=False)
    st.markdown(said.lede)
    filled = diagnose_form.form(said)
    if filled.measured is None:
        st.warning("\n".join(f"- {problem}" for problem in filled.problems))
        return
    found = diagnose(filled.measured)
    notes = list(filled.notes)
    if filled.measured.kept == "unknown" and filled.measured.growth is not None:
        kept = said.text(f"kept_{filled.measured.inferred}")
        st.markdown(said.text("because_inferred", {"kept": kept}))
    with st.container(border=True, key=keys.DIAGNOSE_RESULT):
        _answer(said, found, notes)
    st.markdown(f"**{said.takeaway}**")


def _answer(said: Words, found: Diagnosis, notes: list[Told]) -> None:
    lossy = found.cause == "weak_numbers" and found.numbers["efficiency"] < GOOD
    st.subheader(said.text("still_lossy" if lossy else f"cause_{found.cause}"), anchor=False)
    st.markdown(f"*{said.text(f'sure_{found.sure}')}.*")
    reasons = [*found.reasons, *notes]
    st.markdown("\n".join(f"- {_told(said, 'because', reason)}" for reason in reasons))
    if found.also:
        told = [
            said.text(
                "also_one",
                {
                    "cause": said.text(f"short_{cause}"),
                    "sure": said.text(f"sure_{sure}").lower(),
                },
            )
            for cause, sure in found.also
        ]
        st.markdown(said.text("also", {"causes": ", ".join(told)}))
    st.markdown(f"**{said.text('what_next')}**")
    st.markdown(
        "\n".join(f"{place}. {_told(said, 'try', one)}" for place, one in enumerate(found.tries, 1))
    )
    if found.missing:
        what = ", ".join(said.text(f"miss_{name}") for name in found.missing)
        st.markdown(said.text("missing", {"what": what}))
    if found.numbers:
        with st.expander(said.text("rests_on")):
            frame.table(
                [said.text("head_number"), said.text("head_value")],
                [
                    [said.text(f"number_{name}"), value]
                    for name, value in shown(found.numbers).items()
                ],
                "numbers",
            )


def _told(said: Words, kind: str, told: Told) -> str:
    return said.text(f"{kind}_{told.name}", shown(told.values))


def shown(values: Mapping[str, float]) -> dict[str, str]:
    """Numbers as text: times with their unit, shares in percent, the rest with few digits."""
    return {name: _shown(name, value) for name, value in values.items()}


def _shown(name: str, value: float) -> str:
    if name in SECONDS:
        return duration(value)
    if name in SHARES:
        return f"{value:.0%}"
    if name.startswith("times"):
        return f"{value:.2f}" if value < 10 else number(value, 3)
    return f"{value:,.0f}"


def duration(seconds: float) -> str:
    """`0.38 ms`, `210 ms`, `1.39 s`: three significant digits in the unit that fits."""
    if seconds == 0:
        return "0 ms"
    if seconds < 1:
        return f"{number(1000 * seconds, 3)} ms"
    return f"{number(seconds, 3) if seconds < 100 else f'{seconds:,.0f}'} s"
