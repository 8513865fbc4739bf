"""The settings in the sidebar: widgets made from `pipeline.config.SETTINGS`, bound to the URL.

Declared once, in `pages/main.py`, before any page: widgets of a page would lose a link's values
at the first navigation (Streamlit 1.67). Pages ask `current()`.
"""

from __future__ import annotations

import random

import streamlit as st

from pipeline import datasets
from pipeline.config import SETTINGS, ConfigError, RunConfig, Setting
from ui import keys

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


def sidebar() -> None:
    """Draw the settings where the caller is; once in each script run, before the page."""
    _report_bad_url()
    for name in SHOWN:
        _widget(SETTINGS[name])
    st.button(
        "New seed",
        on_click=_new_seed,
        help="other start weights, other row order",
        width="stretch",
    )


def current() -> RunConfig:
    """The settings as they stand; values the widgets cannot hold fall back to the default."""
    values = {name: st.session_state[name] for name in SETTINGS if name in st.session_state}
    try:
        return RunConfig.checked(values)
    except ConfigError:  # a widget that was emptied gives None
        return RunConfig.checked({name: v for name, v in values.items() if v is not None})


def _widget(setting: Setting) -> None:
    if setting.name == "data":
        st.selectbox(
            setting.title,
            list(datasets.BUILT_IN),
            format_func=lambda name: datasets.BUILT_IN[name],
            key=setting.name,
            bind="query-params",
        )
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


def _report_bad_url() -> None:
    """Bound widgets drop what they cannot use without a word; say it once."""
    if st.session_state.get(keys.URL_CHECKED):
        return
    st.session_state[keys.URL_CHECKED] = True
    _, problems = RunConfig.from_query(st.query_params.to_dict())
    if problems:
        st.session_state[keys.NOTICE] = "This link has values that cannot be used: " + "; ".join(
            problems
        )
