"""The quiz as a test drives it, and what of it reaches the browser."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Locator, Page, Response, WebSocket, expect

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class QuizView:
    """A tab with a quiz in it."""

    def __init__(self, page: Page, url: str, slug: str = "quiz") -> None:
        self.page = page
        self.url = f"{url}/{slug}"

    def open(self) -> QuizView:
        """Go to the page before anything was answered."""
        self.page.goto(self.url)
        self.button("start").wait_for()
        return self

    def start(self) -> None:
        """Begin an attempt."""
        self.button("start").click()
        self.page.locator(".st-key-quiz_progress").wait_for()

    def part(self, name: str) -> Locator:
        """A part of the page by its key."""
        return self.page.locator(f".st-key-quiz_{name}")

    def button(self, name: str) -> Locator:
        """A button by its key."""
        return self.part(name).locator("button")

    def type_code(self, code: str) -> None:
        """Type a code and wait until the page has taken it in."""
        field = self.part("device").get_by_role("textbox")
        field.fill(code)
        field.press("Enter")
        settle(self.page)

    def options(self, question: str) -> Locator:
        """The choices of a question."""
        return self.radio("choice", question).locator("[data-testid=stRadioOption]")

    def radio(self, what: str, question: str) -> Locator:
        """The radio for the choice, or for how sure."""
        return self.page.locator(f"[class*=st-key-quiz_{what}_][class*=_{question}]")

    def choose(self, question: str, letter: str, sure: str = "") -> None:
        """Choose, without checking."""
        self.options(question).nth("ABCD".index(letter)).click()
        if sure:
            self.radio("sure", question).get_by_text(sure, exact=True).click()

    def answer(self, question: str, letter: str, number: int = 1, sure: str = "") -> Locator:
        """Choose and check; returns the verdict, the `number`th of this question."""
        self.choose(question, letter, sure)
        self.button(f"check_{question}").click()
        verdict = self.part(f"verdict{number}_{question}")
        expect(verdict).to_be_visible()
        return verdict

    def go_to(self, question: str) -> None:
        """Turn to a question."""
        self.button(f"goto_{question}").click()
        expect(self.part(f"question_{question}")).to_be_focused()

    def tab_to(self, key: str) -> None:
        """Reach a part of the page with the Tab key alone."""
        for _ in range(80):
            self.page.keyboard.press("Tab")
            inside = "key => !!document.activeElement?.closest(`[class*='st-key-quiz_${key}']`)"
            if self.page.evaluate(inside, key):
                return
        raise AssertionError(f"the Tab key does not reach {key}")


def settle(page: Page) -> None:
    """Wait until the page is drawn: no script runs, no element waits for code, nothing fades."""
    page.wait_for_timeout(100)  # Streamlit notes the start of a run a moment later
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_function(
        """() => {
            const drawn = ({ shadowRoot }) => shadowRoot?.childElementCount
                && [...shadowRoot.querySelectorAll(".player, .still")].every((node) => node.player);
            const components = document.querySelectorAll("[data-testid=stBidiComponentIsolated]");
            return [...components].every(drawn)
                && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]")
                && document.getAnimations().every((one) =>
                    one.playState !== "running"
                    || one.effect.getComputedTiming().endTime === Infinity);
        }""",
        polling=100,
    )


def serious_faults(page: Page) -> list[str]:
    """What axe-core calls serious or critical, but for Streamlit's own sidebar."""
    return [text for impact, text in faults(page) if impact in ("serious", "critical")]


def faults(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds, each with its impact, but for Streamlit's own sidebar.

    Its list of pages is built of groups inside a list (rules `list` and `listitem`).
    """
    settle(page)
    options = {"runOnly": RULES, "resultTypes": ["violations"]}
    found = Axe().run(page, options=options).response["violations"]
    return [
        (rule["impact"], f"{rule['id']}: {node['html'][:200]}")
        for rule in found
        for node in rule["nodes"]
        if not (rule["id"] in ("list", "listitem") and _is_navigation(node["html"]))
    ]


def _is_navigation(html: str) -> bool:
    return "stSidebarNavItems" in html or html.startswith('<li class="st-emotion-cache')


class Wiretap:
    """Everything that reaches a tab: all frames, all bodies, and the page with its shadows."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._heard: list[bytes] = []
        self._answers: list[Response] = []
        self.frames = self.bodies = 0
        page.on("websocket", self._listen)
        page.on("response", lambda answer: self._answers.append(answer))

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._frame)

    def _frame(self, payload: str | bytes) -> None:
        self.frames += 1
        self._heard.append(payload.encode() if isinstance(payload, str) else payload)

    def download(self, button: Locator) -> None:
        """Press a button for a file and read what came: a tab cannot read it as a body."""
        with self.page.expect_download() as download:
            button.click()
        self._heard.append(Path(download.value.path()).read_bytes())

    def _read_bodies(self) -> None:
        answers, self._answers = self._answers, []
        for answer in answers:
            disposition = answer.headers.get("content-disposition", "")
            if "attachment" not in disposition and not 300 <= answer.status < 400:
                self._heard.append(answer.body())
                self.bodies += 1

    def heard(self, markers: dict[str, str]) -> set[str]:
        """The names of the markers that have reached the browser when the page is drawn."""
        settle(self.page)
        self._read_bodies()
        page = self.page.evaluate(
            """() => {
                const all = root => root.innerHTML + [...root.querySelectorAll("*")]
                    .map(node => node.shadowRoot ? all(node.shadowRoot) : "").join("");
                return all(document.documentElement);
            }"""
        )
        everything = b"\n".join([*self._heard, page.encode()])
        return {name for name, marker in markers.items() if marker.encode() in everything}
