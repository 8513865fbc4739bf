"""Prove it: what TensorFlow does with the claim behind each option, asked when a learner wants it.

An experiment is known by its name; the task `experiment` of the trainer answers with its claim,
what was seen, whether the claim holds, and a control in which the verdict must turn round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pipeline.answers import Answer
from pipeline.launch import tensorflow_is_installed
from pipeline.limits import LimitError
from ui import keys, services
from ui.quiz import focus
from ui.quiz.wording import say
from ui.words import plain

TASK = "experiment"
EXPERIMENT_FILES = "pipeline/trainer/experiments"
Result = Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """The experiment of one option, and where its answer stands (None: never asked)."""

    letter: str
    name: str
    not_testable: str
    answer: Answer | None
    recorded: bool = False

    @property
    def settled(self) -> bool:
        """Whether nothing more is to be waited for."""
        return self.answer is None or self.answer.state != "asked"


def draw(view: dict[str, Any]) -> None:
    """The button, and once it was pressed what TensorFlow answered."""
    evidence = view.get("evidence") or {}
    if not evidence:
        return
    proving: set[str] = st.session_state.setdefault(keys.QUIZ_PROVING, set())
    if view["id"] not in proving:
        st.button(
            say("prove"),
            icon=":material/science:",
            on_click=_ask,
            args=(view["id"], evidence),
            key=keys.quiz_part("prove", view["id"]),
        )
        st.markdown(say("prove_help", count=len(evidence)))
        return
    with st.container(key=keys.quiz_part("proof", view["id"])):
        st.subheader(say("proof"), anchor=False)
        claims = _claims(evidence)
        if not all(claim.settled for claim in claims):
            _wait(view["id"], evidence)
        for claim in claims:
            if claim.settled:
                _claim(view["id"], claim)
        if any(claim.answer is not None and claim.answer.state == "failed" for claim in claims):
            st.button(
                say("prove_again"),
                on_click=_ask,
                args=(view["id"], evidence),
                key=keys.quiz_part("again", view["id"]),
            )


@st.fragment(run_every=1.0)
def _wait(question_id: str, evidence: Mapping[str, Any]) -> None:
    """How far it is; draws the page anew with each answer. The trainer's limits end what hangs."""
    claims = _claims(evidence)
    waiting = [claim.answer for claim in claims if claim.answer and not claim.settled]
    done = len(claims) - len(waiting)
    before = st.session_state.get(keys.quiz_part("proved", question_id), done)
    st.session_state[keys.quiz_part("proved", question_id)] = done
    if not waiting:
        focus.move("", say("proved_said"))
    if not waiting or done > before:
        st.rerun()
    place = services.runs().workers.place(waiting[0].folder)
    told = say("asking", done=done, total=len(claims))
    if place is not None:
        told = f"{told} {say('queued', place=place)}"
    st.markdown(f":material/hourglass_top: {told}")


def _ask(question_id: str, evidence: Mapping[str, Any]) -> None:
    """Put every question that has no answer yet; whoever asked before is not asked twice."""
    st.session_state.setdefault(keys.QUIZ_PROVING, set()).add(question_id)
    focus.move(keys.quiz_part("proof", question_id))
    if not tensorflow_is_installed():
        return
    for item in evidence.values():
        try:
            services.answers().ask(TASK, {"name": item["experiment"]})
        except LimitError:
            # The queue is full: those without an answer are asked with the button "Ask again".
            return


def _claims(evidence: Mapping[str, Any]) -> list[Claim]:
    return [
        _with_answer(letter, item["experiment"], item.get("not_testable") or "")
        for letter, item in evidence.items()
    ]


def _with_answer(letter: str, name: str, not_testable: str) -> Claim:
    answers, arguments = services.answers(), {"name": name}
    known = answers.known(TASK, arguments)
    if known is not None and known.state != "failed":
        return Claim(letter, name, not_testable, known)
    shipped = answers.recorded(TASK, arguments)
    if shipped is not None and (known is not None or not tensorflow_is_installed()):
        return Claim(letter, name, not_testable, shipped, recorded=True)
    if known is None and tensorflow_is_installed():
        known = Answer("", Path(), "failed", error=say("not_asked"))
    return Claim(letter, name, not_testable, known)


def _claim(question_id: str, claim: Claim) -> None:
    answer = claim.answer
    with st.container(border=True, key=keys.quiz_part(f"claim_{claim.letter}", question_id)):
        title = f"**{say('for_option', letter=claim.letter)}**"
        if answer is None:
            st.markdown(f"{title} · {say('no_tensorflow')}")
        elif answer.state == "failed":
            st.markdown(f"{title} · {say('proof_failed', error=plain(answer.error))}")
        else:
            _answered(claim, answer.result, title)


def _answered(claim: Claim, found: Result, title: str) -> None:
    verdict = say(verdict_name(found["holds"]))
    st.markdown(f"{title} · **{verdict}** · {found['claim']}")
    if claim.not_testable:
        st.markdown(claim.not_testable)
    st.markdown(say("saw", saw=plain(seen(found))))
    control = found["control"]
    if control.get("holds") is None:
        told = say("control_look", what=control["what"], saw=plain(seen(control)))
    else:
        told = say(
            "control",
            what=control["what"],
            saw=plain(seen(control)),
            verdict=say(verdict_name(control["holds"])),
        )
    st.markdown(told)
    if claim.recorded:
        st.markdown(say("recorded_proof"))
    with st.expander(say("the_code")):
        if found.get("code"):
            st.code(found["code"], language="python", wrap_lines=True)
        st.code(observed(found), language=None, wrap_lines=True)
        st.markdown(say("took", seconds=f"{found['seconds']:g}"))


def verdict_name(holds: bool | None) -> str:
    """The name of the text that says it."""
    return "undecided" if holds is None else "holds" if holds else "fails"


def seen(found: Result) -> str:
    """What was observed, as the experiment puts it."""
    return str(found.get("saw") or observed(found))


def observed(found: Result) -> str:
    """Every value that was observed, a line each."""
    return "\n".join(f"{name}: {value}" for name, value in dict(found["observation"]).items())
