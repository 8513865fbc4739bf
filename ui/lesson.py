"""The frame of a lesson page, in the order a reader meets it.

    page = lesson.Page("distribute")
    page.open()                  # notice, claim, two sentences, shape ribbon
    ...                          # the page's one picture
    page.your_row([...])         # your row, beside it
    page.predict(values)         # one question, a reply to each answer
    page.code(...)               # the code that ran
    page.close()                 # what to remember, the next page

A page is mostly its words (`lesson/en/SLUG.yaml`) and its picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ui import code, contents, context, glossary, keys, notices
from ui.words import Values, fill, plain, words

HERE = Path(__file__).parent
ICON = HERE / "icon.png"
STYLE = (HERE / "frame.css").read_text(encoding="utf-8")


class Page:
    """One page of the lesson: its words, and the present data, settings, row and run."""

    def __init__(self, slug: str) -> None:
        self.slug = slug
        self.words = words(slug)
        self.context = context.current()

    def open(self, values: Values | None = None) -> None:
        """Notice (if any), the claim as the title, one or two sentences, the shape ribbon."""
        st.html(f"<style>{STYLE}</style>")
        notices.show()
        st.title(fill(self.words.title, values or {}), anchor=False)
        with st.container(key=keys.LEDE):
            glossary.show(self.words.lede, values or {})
        self._ribbon()

    def say(self, name: str, values: Values | None = None) -> None:
        """One of the page's further texts."""
        glossary.show(self.words.texts[name], values or {})

    def frames(self, values: Values | None = None) -> list[str]:
        """The sentences that go with the picture's positions."""
        return [fill(frame, values or {}) for frame in self.words.frames]

    def your_row(self, lines: Sequence[tuple[str, str]], note: str = "") -> None:
        """The panel of your row: what it is here, as (name, value) pairs."""
        here = self.context
        with st.container(border=True, key=keys.ROW_PANEL):
            st.markdown(f"**Your row** · {here.row:,} · {plain(here.row_label)}")
            for name, value in lines:
                st.markdown(f"{name} **{value}**")
            if note:
                st.markdown(note)

    def predict(self, values: Values | None = None) -> None:
        """The page's question; the chosen option gets its own reply."""
        asked = self.words.predict
        if asked is None:
            return
        given = values or {}
        options = [fill(option.text, given) for option in asked.options]
        chosen = st.radio(
            f"**Predict first.** {fill(asked.question, given)}",
            range(len(options)),
            format_func=lambda index: options[index],
            index=None,
            horizontal=True,
            key=keys.prediction(self.slug),
            persist_state="session",
        )
        if chosen is not None:
            option = asked.options[chosen]
            with st.container(border=True, key=keys.REPLY):
                st.markdown(
                    ("**Yes.** " if option.right else "**No.** ") + fill(option.reply, given)
                )

    def code(self, file: str, name: str, *, open_: bool = False) -> None:
        """The code that ran, from its source file."""
        with st.expander(f"The code that ran · `{name}` in `{file}`", expanded=open_):
            st.code(code.source(file, name), language="python")

    def close(self, values: Values | None = None) -> None:
        """What to remember, and the way on."""
        with st.container(key=keys.TAKEAWAY):
            st.markdown(fill(self.words.takeaway, values or {}))
        following = contents.after(self.slug)
        if following is not None:
            st.page_link(
                following.file, label=f"Next: {following.title}", icon=":material/arrow_forward:"
            )

    def _ribbon(self) -> None:
        """The five stages with their live shapes; each is a link, the present one is lit."""
        with st.container(horizontal=True, key=keys.RIBBON, gap="small"):
            stages = zip(contents.STAGE_PAGES, self.context.shapes.stages(), strict=True)
            for slug, (name, shape) in stages:
                here = "here" if slug == contents.stage(self.slug) else "there"
                with st.container(key=f"stage_{slug}_{here}"):
                    st.page_link(
                        contents.entry(slug).file, label=f"{name} **{shape}**", width="stretch"
                    )
