"""Break it: programs that are wrong or look it, run, and sorted by what became of them."""

import streamlit as st

from pipeline.cards import CARDS, VERDICTS, find
from pipeline.launch import tensorflow_is_installed
from ui import (
    break_it_card,
    break_it_cards,
    charts,
    frame,
    keys,
    lesson,
    pictures_break_it,
    player,
    waiting,
)

page = lesson.Page("break-it")
text = page.words.text
counts = break_it_cards.recorded_counts()
wrong = sum(counts.values()) - counts["fine"]
page.open()

placed = break_it_cards.placed()
ended = [(CARDS.index(card), found.here.verdict) for card, found in placed]
so_far = dict.fromkeys(VERDICTS, 0)
frames = [text("first", {"cards": len(CARDS)})]
for index, verdict in ended:
    so_far[verdict] += 1
    of = {"number": index + 1, "title": break_it_cards.words(CARDS[index].slug).short}
    frames.append(text("placed", of | so_far | {"verdict": text(verdict)}))
values = {"cards": len(CARDS), "run": len(placed), "rest": len(CARDS) - len(placed), **so_far}
chart = player.Chart(
    charts.kept(
        pictures_break_it.sorted_cards,
        [break_it_cards.words(card.slug).short for card in CARDS],
        ended,
        {name: text(name) for name in (*VERDICTS, "tray")},
    ),
    "",
    text("alt", values),
)
if placed:
    player.show(
        player.Show(
            source=f"break it {ended}",
            label=text("picture", values),
            charts=[chart],
            frames=frames,
            total=len(ended),
            seconds=max(2.0, 0.6 * len(ended)),
            fresh=bool(st.session_state.pop(keys.CARDS_FRESH, False)),
        ),
        key=keys.PICTURE,
    )
else:
    player.still([chart], text("picture", values), keys.CARDS_TRAY)
    page.say("none_run")


@st.fragment(run_every=0.7)
def wait() -> None:
    """Puts the questions, a few at a time, and draws the page anew once all have ended."""
    going = break_it_cards.open_ones()
    if not going:
        st.rerun()
    break_it_cards.ask(going)
    total = len(break_it_cards.ran())
    told = text("asking")
    if total > 1:
        told += f" {text('going', {'done': total - len(going), 'total': total})}"
    waiting.line(told)


def run_all() -> None:
    """Every card with its first choice."""
    break_it_cards.run([card.choices[0] for card in CARDS])
    st.session_state[keys.CARDS_FRESH] = True


if len(placed) < len(CARDS):
    label = text("run_all" if tensorflow_is_installed() else "show_all")
    st.button(label, icon=":material/playlist_play:", on_click=run_all, key=keys.CARDS_ALL)
if break_it_cards.open_ones():
    wait()
page.predict({"wrong": wrong, **counts})

slugs = [card.slug for card in CARDS]
if keys.CARD_CHOSEN not in st.session_state:
    st.session_state[keys.CARD_CHOSEN] = find(st.query_params.get("card", "")).slug
chosen = st.selectbox(
    text("program"),
    slugs,
    format_func=lambda slug: f"{slugs.index(slug) + 1}. {break_it_cards.words(slug).title}",
    key=keys.CARD_CHOSEN,
    persist_state="session",
)
break_it_card.draw(page, find(chosen))

if placed:
    with st.expander(text("list")):
        frame.table(
            [text(f"heads_{name}") for name in ("number", "program", "verdict", "saw")],
            [
                [
                    str(CARDS.index(card) + 1),
                    break_it_cards.words(card.slug).short,
                    text(found.here.verdict),
                    found.here.saw,
                ]
                for card, found in sorted(placed, key=lambda pair: CARDS.index(pair[0]))
            ],
            "cards",
        )
page.close()
