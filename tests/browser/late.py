"""A slow line: what a page asks for comes late, when the test lets it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route


class Late:
    """What a page asks for under this pattern waits until it is released; later it does not."""

    def __init__(self, page: Page, pattern: str | re.Pattern[str]) -> None:
        self._held: list[Route] | None = []
        page.route(pattern, self._asked)

    def _asked(self, route: Route) -> None:
        if self._held is None:
            route.continue_()
        else:
            self._held.append(route)

    def release(self) -> None:
        """Let everything through."""
        held, self._held = self._held or [], None
        for route in held:
            route.continue_()
