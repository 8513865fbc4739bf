"""The settings in the sidebar: widgets made from `pipeline.config.SETTINGS`, bound to the URL.

Declared once, in `pages/main.py`, before any page: widgets of a page would lose a link's values
at the first navigation (Streamlit 1.67). Pages ask `current()`.
"""

from __future__ import annotations

import math
import random
from urllib.parse import parse_qs

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pipeline.config import SETTINGS, ConfigError, RunConfig, Setting
from pipeline.uploads import is_upload
from ui import data_choice, keys, notices

SHOWN = (
    "data",
    "row",
    "replicas",
    "global_batch",
    "epochs",
    "learning_rate",
    "optimizer",
    "seed",
)
"""The settings every learner sees."""
EXPERIMENT = ("order", "combine", "one_thread")
"""Settings for those who want to try things."""


def sidebar() -> None:
    """Draw the settings where the caller is; once in each script run, before the page."""
    _report_bad_url()
    _drop_endless_numbers()
    _restore_to_url()
    _carriers()
    for name in SHOWN:
        _widget(SETTINGS[name])
    st.button(
        "New seed",
        on_click=_new_seed,
        help="other start weights, other row order",
        width="stretch",
    )
    with st.expander("Experiment"):
        for name in EXPERIMENT:
            _widget(SETTINGS[name])


def current() -> RunConfig:
    """The settings as they stand; values that cannot be used fall back to the default."""
    values = {
        name: st.session_state[name]
        for name in SETTINGS
        if st.session_state.get(name) is not None  # a widget that was emptied gives None
    }
    if not is_upload(values.get("data", "")):
        values |= data_choice.AS_IT_IS
    try:
        return RunConfig.checked(values)
    except ConfigError:
        return RunConfig.from_query({name: str(value) for name, value in values.items()})[0]


def _carriers() -> None:
    """The view and the settings about the table, out of sight: they tie the URL to the session.

    A bound selectbox would put its visible text into the URL and drop what it does not know
    without a word; here a link holds ids, and a file that is gone can be told.
    """
    st.html(f"<style>.st-key-{keys.CARRIERS} {{ display: none; }}</style>")
    with st.container(key=keys.CARRIERS):
        for name in ("data", "label", "leave_out"):
            setting = SETTINGS[name]
            st.text_input(setting.title, value=setting.default, key=name, bind="query-params")
        st.text_input("View", key=keys.VIEW, bind="query-params")


def _choose_data() -> None:
    data_choice.choose(st.session_state[keys.DATA_CHOICE])


def _widget(setting: Setting) -> None:
    if setting.name == "data":
        present = str(st.session_state["data"])
        st.session_state[keys.DATA_CHOICE] = present
        st.selectbox(
            setting.title,
            data_choice.offered(present),
            format_func=data_choice.title,
            key=keys.DATA_CHOICE,
            on_change=_choose_data,
        )
    elif setting.kind is bool:
        st.toggle(setting.title, key=setting.name, help=setting.help, bind="query-params")
    elif setting.choices:
        st.selectbox(
            setting.title,
            setting.choices,
            key=setting.name,
            help=setting.help,
            bind="query-params",
        )
    elif setting.kind is float:
        assert setting.high is not None
        st.number_input(
            setting.title,
            min_value=1e-6,
            max_value=float(setting.high),
            value=float(setting.default),
            step=0.001,
            format="%g",
            key=setting.name,
            help=setting.help,
            bind="query-params",
        )
    else:
        assert setting.low is not None
        assert setting.high is not None
        st.number_input(
            setting.title,
            min_value=int(setting.low),
            max_value=int(setting.high),
            value=int(setting.default),
            step=1,
            key=setting.name,
            help=setting.help,
            bind="query-params",
        )


def _new_seed() -> None:
    st.session_state["seed"] = random.randrange(10_000)


def _drop_endless_numbers() -> None:
    """Keep `1e309` in the URL from Streamlit's number input, which raises on it.

    Once a widget has the name only its value can be set; before that only the URL can be changed,
    which counts from the next script run on.
    """
    again = False
    for name, setting in SETTINGS.items():
        if setting.kind in (int, float) and _is_endless(st.query_params.get(name, "")):
            if name in st.session_state:
                st.session_state[name] = setting.default
            else:
                del st.query_params[name]
                again = True
    if again:
        st.rerun()


def _restore_to_url() -> None:
    """Put values back that fell out of the URL; setting a widget's value writes it there.

    The browser keeps only what its widgets have claimed, and a link that is followed before they
    are drawn (a slow line) leaves the rest out. On the way back the URL wins over this.
    `st.query_params` does not do here: on a new page Streamlit has emptied it.
    """
    run = get_script_run_ctx()
    url = parse_qs(run.query_string if run else "", keep_blank_values=True)
    for name in (*SETTINGS, keys.VIEW, keys.RUN):
        value = st.session_state.get(name)
        default = SETTINGS[name].default if name in SETTINGS else ""
        if value not in (None, default) and name not in url:
            st.session_state[name] = value


def _is_endless(value: str) -> bool:
    try:
        return not math.isfinite(float(value))
    except ValueError:
        return False


def _report_bad_url() -> None:
    """Bound widgets drop what they cannot use without a word; say it once."""
    if st.session_state.get(keys.URL_CHECKED):
        return
    st.session_state[keys.URL_CHECKED] = True
    _, problems = RunConfig.from_query(st.query_params.to_dict())
    if problems:
        told = "; ".join(problems)
        notices.tell(f"This link has values that cannot be used: {told}.")
