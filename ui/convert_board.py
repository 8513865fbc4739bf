"""The board of Convert it: eight cells to mark, then to read; and the switches that choose one.

The eight cells stand in two halves, `fit` outside the scope and inside, each with build and
compile outside and inside. What the learner marked and whether the board is open is kept in the
session; what TensorFlow did comes from `ui.convert_state`.
"""

from __future__ import annotations

import html
import textwrap
from pathlib import Path

import streamlit as st

from pipeline import convert
from pipeline.convert import CELLS, OPTIMIZERS, PARTS, Program
from ui import convert_state, frame, keys
from ui.convert_state import Shown
from ui.words import Words, number

STYLE = (Path(__file__).parent / "convert_board.css").read_text(encoding="utf-8")
ICONS = {"right": "✓", "alone": "○", "miscounts": "△", "differs": "△", "error": "✕"}
ROWS = (("AB", "CD"), ("EF", "GH"))
"""The letters of each row of each half."""


def switches(page: Words) -> tuple[str, str]:
    """The three switches and the optimizer; returns the optimizer and the letter they stand at."""
    with st.container(horizontal=True, key=keys.CONVERT_SWITCHES, gap="medium"):
        inside = [part for part in PARTS if _switch(page, part, ("outside", "inside")) == "inside"]
        optimizer = _switch(page, "optimizer", OPTIMIZERS)
    return optimizer, convert.letter_of(inside)


def board(page: Words, shown: Shown, optimizer: str, chosen: str) -> None:
    """The eight cells, closed or open, and the button that opens or closes them."""
    st.html(f"<style>{STYLE}</style>")
    opened = is_open()
    if not opened:
        st.markdown(page.text("mark"))
    with st.container(horizontal=True, key=keys.CONVERT_BOARD, gap="medium"):
        for half, rows in enumerate(ROWS):
            with st.container():
                st.markdown(f"**{_at(page, 'fit', bool(half))}**")
                for row in rows:
                    with st.container(horizontal=True, key=keys.convert_cell("row", row)):
                        for letter in row:
                            _cell(page, shown, optimizer, letter, chosen == letter)
    if not opened:
        st.button(page.text("run"), on_click=_open, key=keys.CONVERT_RUN, type="primary")


def is_open() -> bool:
    """Whether the learner has asked for the outcomes."""
    return bool(st.session_state.get(keys.CONVERT_OPEN))


def summary(page: Words, shown: Shown, optimizer: str) -> None:
    """How well the learner called it, and the eight in one sentence."""
    programs = [shown.programs.at(optimizer, letter) for letter in CELLS]
    marks = _marks()
    if marks:
        hits = shown.programs.judged(optimizer, marks)
        st.markdown(page.text("judged", {"hits": hits, "all": len(CELLS)}))
    right = [one for one in programs if one.verdict == "right"]
    errors = [one for one in programs if one.verdict == "error"]
    given = {
        "optimizer": page.text(optimizer),
        "right": len(right),
        "silent": len(programs) - len(right) - len(errors),
        "errors": len(errors),
        "ways": _ways(page, len({one.raised for one in errors})),
    }
    said = [page.text("summary", given)]
    if right:
        must = [part for part in PARTS if all(part in one.inside for one in right)]
        free = [part for part in PARTS if len({part in one.inside for one in right}) > 1]
        letters = _listed(shown.programs.right(optimizer))
        said.append(page.text("right_ones", {"letters": letters, "must": _listed(must)}))
        said += [page.text("either", {"free": part}) for part in free]
    st.markdown(" ".join(said))


def again(page: Words) -> None:
    """The button that closes the board and takes the marks away."""
    st.button(page.text("again"), on_click=_close, key=keys.CONVERT_AGAIN)


def reading(page: Words, program: Program, letter: str) -> None:
    """One program: what TensorFlow did, and why."""
    with st.container(border=True, key=keys.CONVERT_SHOWN):
        parts = _listed(
            [page.text("one_inside", {"part": part, "where": _where(page, program, part)})
             for part in PARTS]
        )  # fmt: skip
        optimizer = page.text(program.optimizer)
        values = {"letter": letter, "optimizer": optimizer, "parts": parts}
        st.markdown(page.text("program", values))
        st.markdown(page.text(f"told_{program.verdict}", _values(program)))
        if program.verdict == "error":
            kind, line = program.error
            st.code(
                kind if program.cause == "empty" else f"{kind}: {line}",
                language=None,
                wrap_lines=True,
            )
            st.markdown(page.text(_why(program)))


def printed(page: Words, program: Program, letter: str) -> None:
    """What the three lines print below the chosen program, once the programs may be seen."""
    if not is_open():
        page_says = page.text("three_closed")
    elif program.printed:
        values = {"letter": letter, "optimizer": page.text(program.optimizer)}
        page_says = page.text("three_said", values)
    else:
        page_says = page.text("three_not", {"letter": letter})
    st.markdown(page_says)
    if is_open() and program.printed:
        st.code("\n".join(program.printed), language=None, wrap_lines=True)


def table(page: Words, shown: Shown) -> None:
    """All sixteen as a table."""
    rows = []
    for letter, inside in CELLS.items():
        both = [shown.programs.at(optimizer, letter) for optimizer in OPTIMIZERS]
        told = [f"{page.text(one.verdict)}: {_saw(page, one)}" for one in both]
        where = _listed(inside) or page.text("nothing")
        rows.append([letter, where, *(textwrap.shorten(one, 60, placeholder="…") for one in told)])
    heads = ("heads_program", "heads_inside", *OPTIMIZERS)
    frame.table([page.text(name) for name in heads], rows, "programs")


def _switch(page: Words, name: str, options: tuple[str, ...]) -> str:
    """One switch with two positions, kept from page to page."""
    chosen = st.segmented_control(
        page.text(name),
        options,
        default=options[0],
        required=True,
        format_func=page.text,
        key=keys.convert_part(name),
        persist_state="session",
    )
    return str(chosen)


def _cell(page: Words, shown: Shown, optimizer: str, letter: str, chosen: bool) -> None:
    """One program: its letter chooses it; a box to mark it, or what became of it."""
    name = keys.convert_cell("cell", letter) + "_shown" * chosen
    program = shown.programs.at(optimizer, letter)
    with st.container(border=True, key=name, gap="small"):
        where = {part: _at(page, part, part in program.inside) for part in ("build", "compile")}
        st.button(
            page.text("cell", {"letter": letter, **where}),
            key=keys.convert_cell("choose", letter),
            type="tertiary",
            on_click=_choose,
            args=(letter,),
        )
        if is_open():
            st.html(_outcome(page, program, letter, shown.pale(optimizer, letter)))
        else:
            st.checkbox(
                page.text("mark_one", {"letter": letter}),
                value=letter in _marks(),
                key=keys.convert_cell("mark", letter),
                on_change=_mark,
                args=(letter,),
            )


def _outcome(page: Words, program: Program, letter: str, pale: bool) -> str:
    """What became of a program, and whether the learner had called it."""
    verdict = program.verdict
    told = f'<b><span class="icon">{ICONS[verdict]}</span>{html.escape(page.text(verdict))}</b>'
    told += f'<span class="saw">{html.escape(_saw(page, program))}</span>'
    marks = _marks()
    if marks:
        marked = letter in marks
        call = "right" if marked == (verdict == "right") else "wrong"
        said = page.text(f"call_{call}_{'marked' if marked else 'left'}")
        told += f'<span class="call">{html.escape(said)}</span>'
    if pale:
        told += f'<span class="call">{html.escape(page.text("pale"))}</span>'
    return f'<div class="outcome {verdict}{" pale" * pale}">{told}</div>'


def _saw(page: Words, program: Program) -> str:
    """The outcome in a few words: what was raised, or rows and counts."""
    silent = "_silent" if program.cause == "empty" else ""
    return page.text(f"saw_{program.verdict}{silent}", _values(program))


def _values(program: Program) -> dict[str, object]:
    """What the sentences about one program need."""
    return {
        "kind": program.error[0],
        "line": program.error[1],
        "devices": _listed(program.copies_on),
        "shares": " + ".join(f"{rows:,}" for rows in program.rows),
        "counted": program.counted,
        "steps": program.steps,
        "loss": "" if program.loss is None else number(program.loss, 6),
        "loss_alone": "" if program.loss_alone is None else number(program.loss_alone, 6),
    }


def _why(program: Program) -> str:
    """The name of the text that explains an error."""
    if program.cause == "mixing":
        return "why_mixing_built" if "build" in program.inside else "why_mixing_fit"
    return f"why_{program.cause}"


def _at(page: Words, part: str, inside: bool) -> str:
    """Where a part stands, with a sign that is filled for inside."""
    return page.text("at_inside" if inside else "at_outside", {"part": page.text(part)})


def _where(page: Words, program: Program, part: str) -> str:
    return page.text("inside" if part in program.inside else "outside")


def _ways(page: Words, messages: int) -> str:
    """How many messages the errors have, as the end of a sentence."""
    if messages < 2:
        return page.text("one_way") if messages else ""
    return page.text("ways", {"messages": messages})


def _listed(words: list[str] | tuple[str, ...]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _marks() -> list[str]:
    return list(st.session_state.get(keys.CONVERT_MARKS, []))


def _mark(letter: str) -> None:
    marked = bool(st.session_state[keys.convert_cell("mark", letter)])
    others = [mark for mark in _marks() if mark != letter]
    st.session_state[keys.CONVERT_MARKS] = sorted([*others, letter]) if marked else others


def _choose(letter: str) -> None:
    for part in PARTS:
        where = "inside" if part in CELLS[letter] else "outside"
        st.session_state[keys.convert_part(part)] = where


def _open() -> None:
    st.session_state[keys.CONVERT_OPEN] = True
    convert_state.ask()


def _close() -> None:
    st.session_state[keys.CONVERT_OPEN] = False
    st.session_state[keys.CONVERT_MARKS] = []
    for letter in CELLS:
        st.session_state.pop(keys.convert_cell("mark", letter), None)
