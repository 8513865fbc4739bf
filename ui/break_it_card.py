"""One card of Break it on the page: the program, a guess, what became of it, and its repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pipeline import cards
from pipeline.cards import Card, Choice, Ended
from ui import break_it_cards, code, frame, keys, lesson
from ui.break_it_cards import CardWords, Found
from ui.words import number, plain

GUESSES = ("error", "silent", "fine")


def draw(page: lesson.Page, card: Card) -> None:
    """The card with the choice that is made on it."""
    said = break_it_cards.words(card.slug)
    text = page.words.text
    with st.container(border=True, key=keys.CARD):
        st.header(f"{cards.CARDS.index(card) + 1}. {said.title}", anchor=False)
        st.markdown(said.story)
        choice = _choose(page, card, said)
        st.code(source(choice.program), language="python", wrap_lines=True)
        st.markdown(text("code_help"))
        st.radio(
            f"**{text('guess')}**",
            GUESSES,
            format_func=lambda guess: text(f"guess_{guess}"),
            index=None,
            horizontal=True,
            key=keys.card_guess(choice.name),
            persist_state="session",
            disabled=choice.name in break_it_cards.ran(),
        )
        if choice.name not in break_it_cards.ran():
            st.button(
                text("run"),
                icon=":material/play_arrow:",
                type="primary",
                on_click=break_it_cards.run,
                args=([choice],),
                key=keys.CARD_BUTTON,
            )
            return
        found = break_it_cards.look(choice)
        if found.settled:
            _ended(page, card, said, found)


def source(program: str) -> str:
    """The source of a program that a card names, as in `fitting.scope_used`."""
    module, _, function = program.partition(".")
    return code.source(f"{cards.FOLDER}/{module}.py", function)


def _choose(page: lesson.Page, card: Card, said: CardWords) -> Choice:
    if len(card.choices) == 1:
        return card.choices[0]
    key = st.radio(
        page.words.text("choice"),
        [choice.key for choice in card.choices],
        format_func=lambda key: said.label(card.choice(key)),
        horizontal=True,
        key=keys.card_choice(card.slug),
        persist_state="session",
    )
    return card.choice(key)


def _ended(page: lesson.Page, card: Card, said: CardWords, found: Found) -> None:
    text, here, other = page.words.text, found.here, found.other
    with st.container(key=keys.CARD_VERDICT):
        guessed = _guessed(page, found.choice, here.verdict)
        st.markdown(f"### {text(f'verdict_{here.verdict}')}{guessed}")
        if here.verdict == "error":
            st.code(here.observation["raised"], language=None, wrap_lines=True)
        else:
            st.markdown(plain(here.saw))
    other_head = text("heads_changed" if here.verdict == "fine" else "heads_other")
    heads = (text("heads_part"), text("heads_this"), other_head)
    frame.table(heads, compared(page, here, other), "card")
    st.markdown(f"**{text('why')}** {said.why}")
    st.markdown(f"**{text('against' if here.verdict == 'fine' else 'repair')}** {said.fix}")
    with st.expander(f"`{_call(found.choice)}`"):
        st.code(source(found.choice.other_program), language="python", wrap_lines=True)
    if found.why:
        st.markdown(text("recorded", {"why": text(found.why, {"problem": plain(found.problem)})}))
    if found.why == "failed":
        st.button(
            text("ask_again"),
            on_click=break_it_cards.ask_again,
            args=(found.choice,),
            key=keys.ASK_AGAIN,
        )
    links = ", ".join(
        f"[{plain(report)}]({cards.link(report)})"
        if "#" in report
        else f"[{plain(report.removeprefix('https://').split('/')[0])}]({report})"
        for report in card.reports
    )
    st.markdown(text("reports" if "#" in card.reports[0] else "documented", {"links": links}))
    st.button(text("next"), icon=":material/arrow_forward:", on_click=_next, args=(card,))


def _next(card: Card) -> None:
    following = cards.CARDS[(cards.CARDS.index(card) + 1) % len(cards.CARDS)]
    st.session_state[keys.CARD_CHOSEN] = following.slug


def _guessed(page: lesson.Page, choice: Choice, verdict: str) -> str:
    guess = st.session_state.get(keys.card_guess(choice.name))
    if guess is None:
        return ""
    if guess == verdict:
        return f" {page.words.text('guessed_right')}"
    told = page.words.text(f"guess_{guess}")
    return f" {page.words.text('guessed_wrong', {'guess': told})}"


def _call(choice: Choice) -> str:
    """The run with the one change, as Python calls it."""
    given = {**choice.given, **choice.changed}
    name = str(given.pop("program", choice.program)).partition(".")[2]
    given.pop("chance", None)
    return f"{name}({', '.join(['bench', *(f'{key}={value!r}' for key, value in given.items())])})"


def compared(page: lesson.Page, here: Ended, other: Ended) -> Sequence[Sequence[str]]:
    """Both runs side by side: their end, rows in a step, devices, and each result."""
    text = page.words.text
    rows = [
        (text("end"), *(_end(page, one) for one in (here, other))),
        (text("rows"), *(_rows(page, one.observation) for one in (here, other))),
    ]
    if here.observation["copies_on"] or other.observation["copies_on"]:
        rows.append((text("copies"), *(_homes(page, one.observation) for one in (here, other))))
    if here.observation["copies_apart"] or other.observation["copies_apart"]:
        rows.append((text("apart"), *(_apart(page, one.observation) for one in (here, other))))
    both = here.observation["differences"] and other.observation["differences"]
    names = [one["name"] for end in (here, other) for one in end.observation["differences"]]
    rows += [
        (name, *(_result(page, one.observation, name) for one in (here, other)))
        for name in dict.fromkeys(names if both else ())
    ]
    return rows


def _end(page: lesson.Page, ended: Ended) -> str:
    if ended.verdict == "hangs":
        return page.words.text("never")
    raised = ended.observation["raised"]
    return raised.partition(":")[0] if raised else page.words.text("end_none")


def _rows(page: lesson.Page, seen: Mapping[str, Any]) -> str:
    rows = " + ".join(f"{rows:,}" for rows in seen["rows_in_a_step"])
    return rows or page.words.text("no_result")


def _homes(page: lesson.Page, seen: Mapping[str, Any]) -> str:
    return ", ".join(seen["copies_on"]) or page.words.text("no_result")


def _apart(page: lesson.Page, seen: Mapping[str, Any]) -> str:
    if not seen["copies_on"]:
        return page.words.text("no_result")
    return number(seen["copies_apart"], 2) if seen["copies_apart"] else page.words.text("equal")


def _result(page: lesson.Page, seen: Mapping[str, Any], name: str) -> str:
    text = page.words.text
    found = next((one for one in seen["differences"] if one["name"] == name), None)
    if found is None:
        return text("no_result")
    if found["off"] <= seen["chance"]:
        return text("same")
    if found["off"] > 0.01 and abs(found["off"] - abs(found["times"] - 1)) < 0.002:
        return text("times", {"times": number(found["times"], 3)})
    return text("off_by", {"percent": number(100 * found["off"], 2)})
