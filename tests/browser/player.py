"""The player as a test sees it: its position, its phase, its open stream."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, TimeoutError, expect

LISTEN = """node => {
    const heard = window.heard = [];
    const listen = () => {
        const text = node.querySelector("[role=status]")?.textContent;
        if (text && text !== heard.at(-1)?.text) heard.push({ text, at: performance.now() });
    };
    const what = { childList: true, characterData: true, subtree: true };
    new MutationObserver(listen).observe(node.getRootNode(), what);
}"""


class PlayerView:
    """Reads the player's own attributes and waits for them to change."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root: Locator = page.locator(".player").first

    @property
    def position(self) -> int:
        """The step that is drawn."""
        return int(self.root.get_attribute("data-position") or 0)

    @property
    def edge(self) -> int:
        """The last step that has arrived."""
        return int(self.root.get_attribute("data-edge") or 0)

    def wait_for_position(self, at_least: int) -> None:
        """Wait until step `at_least` is drawn."""
        self._wait(f"+node.dataset.position >= {at_least}")

    def wait_for_phase(self, *phases: str) -> None:
        """Wait until the run is in one of these phases."""
        self._wait(f"{list(phases)}.includes(node.dataset.phase)")

    def listen(self) -> None:
        """Note from now on what a screen reader is told without asking."""
        self.root.evaluate(LISTEN)

    def heard(self, until: str) -> list[tuple[str, float]]:
        """Wait for a sentence with this pattern; returns all so far, with their seconds."""
        self.page.wait_for_function("until => heard.some(one => one.text.match(until))", arg=until)
        heard = self.page.evaluate("heard")
        return [(one["text"], one["at"] / 1000) for one in heard]

    def drawn_points(self) -> int:
        """How many dark pixels the first chart has: grows with the curve."""
        return int(
            self.root.locator("canvas").first.evaluate(
                """canvas => {
                    const {data} = canvas.getContext("2d")
                        .getImageData(0, 0, canvas.width, canvas.height);
                    let count = 0;
                    for (let i = 3; i < data.length; i += 4) count += data[i] > 128;
                    return count;
                }"""
            )
        )

    def jump_to_the_end(self) -> None:
        """Press the button, unless the picture catches up first: then it is hidden."""
        jump = self.page.get_by_role("button", name="Jump to the end", include_hidden=True).first
        try:
            jump.click(timeout=5_000)
        except TimeoutError:
            expect(jump).to_be_hidden()

    def wait_for_own_run(self) -> str:
        """Wait until the run in the URL, not the recorded one, is shown; returns its id."""
        self.page.wait_for_url(re.compile("run=[0-9a-f]{20}"))
        run_id = re.search("run=([0-9a-f]{20})", self.page.url)
        assert run_id
        self._wait(f"node.dataset.source === '{run_id[1]}'")
        return run_id[1]

    def _wait(self, condition: str) -> None:
        self.root.wait_for()
        handle = self.root.element_handle()
        self.page.wait_for_function(f"node => {condition}", arg=handle)
