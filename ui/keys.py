"""Every session-state key of the app. Only ids and plain values are stored under them.

The settings use their own names as keys (`replicas`, `global_batch`, ...), see `ui.settings`.
"""

RUN = "run"
"""Id of the run that is shown; stands in the URL."""
SESSION_OWNER = "session_owner"
"""Stands in for the cookie where a browser keeps none."""
NOTICE = "notice"
"""A sentence to show once, at the top of the page."""
URL_CHECKED = "url_checked"
"""Whether this session's first URL was looked at for values that are not usable."""
FRESH_RUN = "fresh_run"
"""Id of the run this session started last: it is played from its first step."""
TRAIN_BUTTON = "train_button"
STOP_BUTTON = "stop_button"
PLAYER = "player"
LEDE = "lede"
RIBBON = "ribbon"
ROW_PANEL = "row_panel"
REPLY = "reply"
TAKEAWAY = "takeaway"


def prediction(slug: str) -> str:
    """The option chosen for a page's prediction."""
    return f"prediction_{slug}"


PICTURE = "picture"
