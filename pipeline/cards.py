"""The cards of Break it: programs that are wrong or look it, each with its repair.

One table, without TensorFlow: `pipeline.trainer.experiments.broken` makes an experiment of every
choice, the page shows the programs from their source. A verdict here is what the card claims; the
page shows what was observed, and a test compares the two. The words are in `lesson/en/cards.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from pipeline import experiments_index

TASK = "experiment"
FOLDER = "pipeline/trainer/experiments/broken"
"""Where the programs are; `fitting.scope_used` is `scope_used` in `fitting.py`."""
VERDICTS = ("error", "hangs", "silent", "fine")
"""How a program can end, in the order in which the page shows them."""


@dataclass(frozen=True)
class Choice:
    """One program with its arguments, and the one thing that turns its verdict round."""

    verdict: str
    program: str
    changed: Mapping[str, Any]
    """What the other run changes: `{"program": ...}`, or one argument."""
    given: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    """Names the choice where a card has more than one."""
    name: str = ""
    """Of its experiment; set by the card."""

    @property
    def other_program(self) -> str:
        """The program of the other run."""
        return str(self.changed.get("program", self.program))

    @property
    def question(self) -> dict[str, Any]:
        """The arguments that ask `pipeline.answers`, with the task `TASK`."""
        return experiments_index.question(self.name)


@dataclass(frozen=True)
class Card:
    """A card: its slug, what can be chosen, and public reports of the same."""

    slug: str
    choices: tuple[Choice, ...]
    reports: tuple[str, ...]
    """`owner/name#number` of a public thread, or a web address."""

    @classmethod
    def of(cls, slug: str, *choices: Choice, reports: tuple[str, ...]) -> Self:
        """A card whose choices know the names of their experiments."""
        named = tuple(
            Choice(**{**vars(one), "name": f"card-{slug}" + f"-{one.key}" * bool(one.key)})
            for one in choices
        )
        return cls(slug, named, reports)

    def choice(self, key: str) -> Choice:
        """The choice with this key, or the first one."""
        return next((one for one in self.choices if one.key == key), self.choices[0])


@dataclass(frozen=True)
class Ended:
    """How one run ended: the verdict from what was observed, and that as a sentence."""

    verdict: str
    saw: str
    observation: Mapping[str, Any]

    @classmethod
    def read(cls, part: Mapping[str, Any]) -> Self:
        """From the result of an experiment, or from its `control`."""
        return cls(part["observation"]["verdict"], part["saw"], part["observation"])


def link(report: str) -> str:
    """The web address of a report."""
    if report.startswith("https://"):
        return report
    repository, number = report.split("#")
    return f"https://github.com/{repository}/issues/{number}"


def find(slug: str) -> Card:
    """The card with this slug, or the first."""
    return next((card for card in CARDS if card.slug == slug), CARDS[0])


def choices() -> Iterator[Choice]:
    """Every choice of every card."""
    for card in CARDS:
        yield from card.choices


def one(verdict: str, program: str, other: str, key: str = "", **given: Any) -> Choice:
    """A choice whose other run is another program."""
    return Choice(verdict, program, {"program": other}, given, key)


TF, KERAS = "tensorflow/tensorflow#", "keras-team/keras#"
SCOPE = "fitting.scope_used"

CARDS = (
    Card.of(
        "scope-unused",
        one("silent", "fitting.scope_never_used", SCOPE),
        reports=(f"{TF}33764",),
    ),
    Card.of(
        "built-outside",
        one("error", "fitting.built_outside", SCOPE, "adam", optimizer="adam"),
        one("error", "fitting.built_outside", SCOPE, "sgd", optimizer="sgd"),
        reports=("keras-team/keras-io#558", f"{TF}36392"),
    ),
    Card.of(
        "divided-twice",
        *(
            Choice(
                "silent", "looping.divided_twice", {"once_more": False}, {"optimizer": rule}, rule
            )
            for rule in ("sgd", "adam")
        ),
        reports=(f"{KERAS}16285", f"{TF}28956", f"{TF}35333"),
    ),
    Card.of(
        "compiled-outside",
        one("silent", "fitting.compiled_outside", SCOPE, "sgd", optimizer="sgd"),
        one("error", "fitting.compiled_outside", SCOPE, "adam", optimizer="adam"),
        reports=("tensorflow/docs#2246",),
    ),
    Card.of(
        "fit-outside",
        Choice("fine", "fitting.fit_outside", {"inside": False}, {"inside": True}),
        reports=("keras-team/keras-io#2007",),
    ),
    Card.of(
        "clipping",
        one("silent", "fitting.clipped", "looping.clipped_sum"),
        reports=(f"{TF}33929", f"{TF}25806", "LeelaChessZero/lczero-training#162"),
    ),
    Card.of(
        "odd-batch",
        Choice("error", "fitting.batch_of", {"batch_size": 64}, {"batch_size": 63}, "odd"),
        Choice("fine", "fitting.batch_of", {"batch_size": 63}, {"batch_size": 64}, "even"),
        reports=(f"{KERAS}19246",),
    ),
    Card.of(
        "short-last-batch",
        one("silent", "fitting.table_of", "fitting.without_the_rest", "rest", table=195),
        Choice("fine", "fitting.table_of", {"table": 195}, {"table": 192}, "none"),
        reports=(f"{TF}45594", f"{TF}41657"),
    ),
    Card.of(
        "invented-device",
        one("hangs", "fitting.invented_device", SCOPE, "default"),
        one("silent", "fitting.invented_device_one_reducer", SCOPE, "one"),
        reports=(f"{TF}37618", "tensorflow/models#8560"),
    ),
    Card.of(
        "own-mean",
        one("silent", "looping.own_mean", "looping.own_sum", "odd", batch=5),
        Choice("fine", "looping.own_mean", {"batch": 5}, {"batch": 6}, "even"),
        reports=(f"{TF}25806", f"{TF}48875"),
    ),
    Card.of(
        "optimizer-outside",
        Choice(
            "fine", "looping.optimizer_outside", {"optimizer": "adam"}, {"optimizer": "sgd"}, "sgd"
        ),
        one(
            "error",
            "looping.optimizer_outside",
            "looping.optimizer_inside",
            "adam",
            optimizer="adam",
        ),
        reports=(f"{KERAS}23085", f"{TF}22550"),
    ),
    Card.of(
        "batch-norm",
        Choice("silent", "fitting.normalised", {"synchronized": True}, {"synchronized": False}),
        reports=(f"{TF}18222", f"{TF}7439"),
    ),
    Card.of(
        "dropout",
        one("silent", "looping.dropped_alike", "looping.dropped_apart", chance=0.1),
        reports=("huggingface/transformers#31412",),
    ),
    Card.of(
        "two-strategies",
        one("error", "fitting.two_strategies", SCOPE),
        reports=(f"{TF}35601", "GoogleCloudPlatform/practical-ml-vision-book#19"),
    ),
    Card.of(
        "train-on-batch",
        one("silent", "fitting.train_on_batch", SCOPE),
        reports=(f"{TF}41773", f"{TF}39270"),
    ),
    Card.of(
        "predict-on-batch",
        one("silent", "fitting.predict_on_batch", "fitting.predict"),
        reports=(f"{TF}41773",),
    ),
    Card.of(
        "metric-outside",
        one("fine", "looping.metric_outside", "looping.mean_of_means"),
        reports=(f"{TF}39268", "tensorflow/docs#608"),
    ),
    Card.of(
        "never-combined",
        one("silent", "looping.never_combined", "looping.combined"),
        reports=(f"{TF}37834",),
    ),
    Card.of(
        "layer-outside",
        one("error", "fitting.layer_outside", "fitting.layer_inside"),
        reports=("google/automl#755", "dmonterom/face_recognition_TF2#4"),
    ),
    Card.of(
        "applied-outside",
        one("error", "looping.applied_outside", "looping.combined"),
        reports=(f"{TF}36955",),
    ),
    Card.of(
        "accumulation",
        one("error", "fitting.accumulated", SCOPE),
        reports=(f"{KERAS}20582", f"{KERAS}17429"),
    ),
    Card.of(
        "scope-twice",
        one("fine", "fitting.scope_twice", "fitting.scope_never_used"),
        reports=(f"{TF}33764",),
    ),
    Card.of(
        "from-pytorch",
        Choice("silent", "looping.from_pytorch", {"combine": "mean"}, {"combine": "sum"}),
        reports=(
            "https://docs.pytorch.org/docs/stable/generated/"
            "torch.nn.parallel.DistributedDataParallel.html",
        ),
    ),
)
"""All cards, in the order in which the page numbers them."""
