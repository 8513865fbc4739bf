"""The bank a page shows: the last good one. What is wrong with a newer one is for the teacher."""

from __future__ import annotations

import logging
import os
import threading

import streamlit as st

from quiz.model import Bank
from quiz.problems import BankError
from ui import services
from ui.words import words

LOG = logging.getLogger("lockstep.quiz")
_lock = threading.Lock()
_logged: tuple[str, ...] = ()


def bank() -> Bank | None:
    """The bank in use, or None while there has never been a good one."""
    keeper = services.bank_keeper()
    try:
        found = keeper.current()
    except BankError:
        found = None
    _log(keeper.problems)
    return found


def tell_teacher() -> None:
    """The faults of the question file on the page, where LOCKSTEP_TEACHER asks for them."""
    problems = services.bank_keeper().problems
    if problems and os.environ.get("LOCKSTEP_TEACHER") == "1":
        st.warning(words("quiz").text("teacher"), icon=":material/info:")
        st.code("\n".join(problems), language=None, wrap_lines=True)


def _log(problems: tuple[str, ...]) -> None:
    """Each fault once in the server's log, until the file changes."""
    global _logged
    with _lock:
        if problems == _logged:
            return
        _logged = problems
    for line in problems:
        LOG.error("%s", line)
    if not problems:
        LOG.warning("The question file is good again and in use.")
