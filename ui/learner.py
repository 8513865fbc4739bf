"""Whose browser this is: an HttpOnly cookie, set by `ui.web`, read here. No account, no name."""

from __future__ import annotations

import secrets

import streamlit as st

from ui import keys

COOKIE = "lockstep"
COOKIE_SECONDS = 180 * 24 * 3600


def owner() -> str:
    """The secret that owns this browser's runs; without cookies, one for this session only."""
    cookie = st.context.cookies.get(COOKIE)
    if isinstance(cookie, str) and cookie:
        return cookie
    if keys.SESSION_OWNER not in st.session_state:
        st.session_state[keys.SESSION_OWNER] = secrets.token_urlsafe(24)
    return str(st.session_state[keys.SESSION_OWNER])
