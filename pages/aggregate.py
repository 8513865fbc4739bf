"""5 Aggregate: one row left out of one step, then the hard case of one class each."""

import streamlit as st

from pipeline import recordings, side_by_side, what_if_view
from pipeline.events import RunFinished
from ui import charts, frame, keys, leave_out, lesson, one_class, pictures_aggregate, player
from ui import run_panel, services
from ui.palette import DASHES

ORDINALS = ("first", "second", "third")
page = lesson.Page("aggregate")
text = page.words.text
asked = leave_out.resolve(page.context)
found = asked.found
values: dict[str, object] = {
    "owner": f"R{asked.use.owner}",
    "other": f"R{asked.use.other}",
    "row": f"{asked.row:,}",
    "step": f"{asked.use.step:,}",
    "problem": asked.problem,
}
page.open(values)
if asked.why:
    st.info(f"{text(asked.why, values)} {text('instead', values)}", icon=":material/info:")
    if asked.why == "failed":
        st.button(
            text("ask_again"),
            on_click=leave_out.ask_again,
            args=(page.context,),
            key=keys.ASK_AGAIN,
        )
if found is None:
    assert asked.answer is not None
    leave_out.wait(asked.answer.key, asked.answer.folder, text("asking", values), text("queued"))
else:
    assert found.other is not None
    values |= {
        "own_other": f"{what_if_view.largest(found.own[found.other]):.3g}",
        "copies": f"{found.copies_apart:.3g}",
        "changed": f"{found.changed(found.owner):,}",
        "parameters": f"{found.parameters:,}",
    }
