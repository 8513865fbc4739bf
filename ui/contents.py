"""The table of contents: every page of the lesson once, in reading order.

Navigation, the ribbon's links and the next-page link come from here. Page files lie beside
`pages/main.py` and are named from there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One page: its slug (also its URL), its short title, its group, its file."""

    slug: str
    title: str
    group: str
    script: str = ""
    """The file's name, where it cannot be the slug's."""

    @property
    def path(self) -> str:
        """Where it is served: the first page is the site's root."""
        return "" if self == CONTENTS[0] else self.slug

    @property
    def file(self) -> str:
        """The page script, relative to `pages/main.py`."""
        return self.script or f"{self.slug.replace('-', '_')}.py"


CORE = "Core · 25 min"
TRACES = "Traces"
DEEPER = "Deeper"
QUIZ = "Quiz"
TEACH = "Teach"

CONTENTS = (
    Entry("overview", "Overview", CORE),
    Entry("load", "1 Load", CORE),
    Entry("normalise", "2 Normalise", CORE),
    Entry("distribute", "3 Distribute", CORE),
    Entry("mirror", "4a Mirror", CORE),
    Entry("train", "4b Train", CORE),
    Entry("aggregate", "5 Aggregate", CORE),
    Entry("convert-it", "6 Convert it", CORE),
    Entry("training-trace", "Training trace", TRACES),
    Entry("prediction-trace", "Prediction trace", TRACES),
    Entry("inspector", "Step inspector", DEEPER, "step_inspector.py"),
    Entry("all-reduce", "How an all-reduce works", DEEPER),
    Entry("averaging", "Averaging instead", DEEPER),
    Entry("break-it", "Break it", DEEPER),
    Entry("faster", "Why isn’t it faster?", DEEPER),
    Entry("check-yourself", "Check yourself", QUIZ),
    Entry("quiz", "Practice quiz", QUIZ, "practice_quiz.py"),  # a page quiz.py hides the package
    Entry("going-further", "Going further", QUIZ),
    Entry("teach", "For teachers", TEACH),
)

STAGE_PAGES = ("load", "normalise", "distribute", "train", "aggregate")
"""The page of each of the five stages, in the ribbon's order."""


LESSONS = tuple(entry.slug for entry in CONTENTS if entry.group not in (QUIZ, TEACH))
"""The pages that a question of the quiz may send a learner to."""


def stage(slug: str) -> str:
    """The stage page that is lit on a page: the mirroring belongs to the training."""
    return "train" if slug == "mirror" else slug


def entry(slug: str) -> Entry:
    """The page with this slug."""
    return next(page for page in CONTENTS if page.slug == slug)


def find(slug: str) -> Entry | None:
    """The page with this slug, if there is one."""
    return next((page for page in CONTENTS if page.slug == slug), None)


def after(slug: str) -> Entry | None:
    """The page that follows, if there is one: a learner's way does not lead to the teachers'."""
    following = CONTENTS[CONTENTS.index(entry(slug)) + 1 :]
    return following[0] if following and following[0].group != TEACH else None


def before(slug: str) -> Entry | None:
    """The page that comes before, if there is one."""
    index = CONTENTS.index(entry(slug)) - 1
    return CONTENTS[index] if index >= 0 else None
