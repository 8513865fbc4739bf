"""Why more devices are not faster, from the few numbers that people have.

    found = diagnose(Measured(devices=2, one=0.180, many=0.210, kept="batch"))
    found.cause, found.sure, found.reasons, found.tries, found.missing

Plain arithmetic on a learner's own numbers; nothing is measured here. Sentences are named, not
written: a `Told` is the name of a text and the numbers in it, in seconds, shares and counts.
What the numbers cannot tell apart is said to be possible, never more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pipeline.collectives import VALUE_BYTES, ring_seconds
from pipeline.progress_lines import Progress
from pipeline.scaling_model import REACHED, Link

Kept = Literal["batch", "rows", "unknown"]
"""What stayed with more devices: the global batch, the rows of each device, or nobody knows."""
Busy = Literal["unknown", "all", "idle", "one"]
"""What the devices did meanwhile: all busy, all mostly idle, one busy and the others idle."""
Sure = Literal["arithmetic", "likely", "possible", "open"]
Cause = Literal[
    "contradiction",
    "tracing",
    "unknown_scaling",
    "fine",
    "weak_numbers",
    "communication",
    "input",
    "one_device",
    "small_batch",
    "open",
]
GOOD = 0.85
"""Efficiency from which on nothing is wrong."""
WORTH = 1.5
"""So many times the rows a second: the devices do share the work, whatever a step takes."""
FLAT = 0.07
"""Rows a second that differ by less from one device's have not changed."""
TOO_FAST = 1.1
"""More than so many times the ideal speed-up is no result but a mistake in the numbers."""
SHORT, SHORTISH = 0.02, 0.1
"""Seconds: below the first a step is mostly launching, below the second it may be."""
FEW_ROWS = 16
"""A device with fewer rows a step may have too little to do."""
EXPLAINS, PARTLY = 0.5, 0.2
"""Share of the lost time that an all-reduce must make up to be the likely, or a possible cause."""
COARSE = 0.1
"""Relative rounding of a time from which on nothing is sure."""


class Told(NamedTuple):
    """A sentence: the name of its text, and its numbers."""

    name: str
    values: Mapping[str, float] = {}


@dataclass(frozen=True)
class Measured:
    """What somebody has: seconds a step on one and on `devices`, and what else is known.

    `one_off` and `many_off` are how far the times may be off by rounding, in seconds. `steps_one`
    and `steps_many` are steps an epoch. `parameters` are values exchanged a step, float32.
    Raises ValueError for fewer than two devices or a time that is not above 0.
    """

    devices: int
    one: float
    many: float
    kept: Kept = "unknown"
    batch: int | None = None
    parameters: float | None = None
    link: Link | None = None
    busy: Busy = "unknown"
    first_step: bool = False
    one_off: float = 0.0
    many_off: float = 0.0
    steps_one: int | None = None
    steps_many: int | None = None
    only_one_epoch: bool = False

    def __post_init__(self) -> None:
        if self.devices < 2:
            raise ValueError(f"a comparison needs two devices or more, not {self.devices}")
        if self.one <= 0 or self.many <= 0:
            raise ValueError(f"a step takes more than 0 s, not {self.one} and {self.many}")

    @property
    def growth(self) -> float | None:
        """How many times as large the global batch is on all devices; None when not known."""
        return {"batch": 1.0, "rows": float(self.devices), "unknown": None}[self.inferred]

    @property
    def inferred(self) -> Kept:
        """What was kept: as said, or as the steps of an epoch show."""
        if self.kept != "unknown" or not (self.steps_one and self.steps_many):
            return self.kept
        fewer = self.steps_one / self.steps_many
        if abs(fewer - 1) < 0.1:
            return "batch"
        return "rows" if abs(fewer / self.devices - 1) < 0.1 else "unknown"

    @property
    def ring(self) -> float | None:
        """Seconds of the all-reduce over this link, as the scaling model counts them."""
        return self._ring(REACHED)

    def _ring(self, reached: float) -> float | None:
        if self.parameters is None or self.link is None:
            return None
        size = VALUE_BYTES * self.parameters
        bandwidth = reached * self.link.bandwidth
        return ring_seconds(size, self.devices, bandwidth, self.link.latency)

    @property
    def least_ring(self) -> float | None:
        """The least it could take: the full bandwidth, and half the bytes (16-bit gradients)."""
        whole = self._ring(1.0)
        return None if whole is None else whole / 2

    @property
    def coarse(self) -> bool:
        """Whether rounding makes the times too uncertain to be sure of anything."""
        return self.one_off / self.one > COARSE or self.many_off / self.many > COARSE


@dataclass(frozen=True)
class Diagnosis:
    """What is likely wrong, how sure that is and why, what to try in order, and what is missing.

    `numbers` are what it rests on. `also` are further causes that the numbers do not exclude.
    `missing` names what would tell more: `kept`, `parameters`, `link`, `busy`, `epochs`.
    """

    cause: Cause
    sure: Sure
    reasons: tuple[Told, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    tries: tuple[Told, ...] = ()
    also: tuple[tuple[Cause, Sure], ...] = ()
    missing: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    cause: Cause
    sure: Sure
    reason: Told


def measured(
    devices: int,
    one: float | Progress,
    many: float | Progress,
    **known: object,
) -> Measured:
    """What is known, with times in seconds or as read from progress lines."""
    if isinstance(one, Progress):
        known |= {"one_off": one.rounding, "steps_one": one.steps}
        known["only_one_epoch"] = one.only_one
    if isinstance(many, Progress):
        known |= {"many_off": many.rounding, "steps_many": many.steps}
        known["only_one_epoch"] = many.only_one or bool(known.get("only_one_epoch"))
    seconds = [told.steady if isinstance(told, Progress) else told for told in (one, many)]
    return Measured(devices, *seconds, **known)  # type: ignore[arg-type]


def diagnose(given: Measured) -> Diagnosis:
    """The likely bottleneck of what was measured."""
    missing = _missing(given)
    wrong = contradictions(given)
    if wrong:
        return Diagnosis("contradiction", "arithmetic", wrong, tries=_tries("contradiction"))
    if given.first_step:
        reason = Told("tracing", {"one": given.one, "many": given.many})
        return Diagnosis("tracing", "likely", (reason,), tries=_tries("tracing"), missing=missing)
    growth = given.growth
    if growth is None:
        kept, scaled = given.one / given.many, given.devices * given.one / given.many
        reason = Told("either", {"times_kept": kept, "times_scaled": scaled})
        numbers = {"one": given.one, "many": given.many}
        return Diagnosis(
            "unknown_scaling",
            "open",
            (reason,),
            numbers,
            _tries("unknown_scaling"),
            missing=("kept", *missing),
        )
    return _with_growth(given, growth, missing)


def contradictions(given: Measured) -> tuple[Told, ...]:
    """What cannot be: each as a sentence with the numbers that disagree."""
    found = []
    growth, least = given.growth, given.least_ring
    if growth is not None:
        times = growth * given.one / given.many
        if times > TOO_FAST * given.devices:
            found.append(Told("too_fast", {"times": times, "devices": given.devices}))
    if given.kept != "unknown" and given.steps_one and given.steps_many:
        fewer = given.steps_one / given.steps_many
        if abs(fewer / (growth or 1) - 1) > 0.3:
            steps = {"steps_one": given.steps_one, "steps_many": given.steps_many}
            found.append(Told(f"steps_say_otherwise_{given.kept}", steps))
    if given.batch is not None and given.inferred == "batch" and given.batch < given.devices:
        counts = {"batch": given.batch, "devices": given.devices}
        found.append(Told("fewer_rows_than_devices", counts))
    if least is not None and least > given.many:
        found.append(Told("link_too_slow", {"ring": least, "many": given.many}))
    return tuple(found)


def _with_growth(given: Measured, growth: float, missing: tuple[str, ...]) -> Diagnosis:
    """The diagnosis when it is known how the global batch grew."""
    devices = given.devices
    times = growth * given.one / given.many
    ideal = growth * given.one / devices
    lost = max(0.0, given.many - ideal)
    numbers = {
        "one": given.one,
        "many": given.many,
        "times": times,
        "efficiency": times / devices,
        "ideal": ideal,
        "lost": lost,
    }
    if given.ring is not None:
        numbers["ring"] = given.ring
    scaled = growth > 1
    basis = Told(
        "basis_scaled" if scaled else "basis_kept",
        {"times": times, "ideal": ideal, "devices": devices, "lost": lost},
    )
    if times >= GOOD * devices:
        cause: Cause = "weak_numbers" if scaled else "fine"
        return Diagnosis(
            cause,
            _sureness("arithmetic", given),
            (basis, *_rounded(given)),
            numbers,
            _tries(cause, times=times),
        )
    candidates = _candidates(given, times, lost)
    if scaled and times >= WORTH:
        return Diagnosis(
            "weak_numbers",
            _sureness("arithmetic", given),
            (basis, Told("still_lost", {"lost": lost}), *_ruled_out(given, lost), *_rounded(given)),
            numbers,
            tuple(Told(name, {"ideal": ideal}) for name in _STILL_LOST),
            tuple((one.cause, one.sure) for one in candidates),
            missing,
        )
    order: dict[Sure, int] = {"arithmetic": 0, "likely": 1, "possible": 2, "open": 3}
    candidates.sort(key=lambda one: order[one.sure])
    best = candidates[0] if candidates else _Candidate("open", "open", Told("nothing_fits"))
    tied = [one for one in candidates if one.sure == best.sure]
    if best.sure == "possible" and len(tied) > 1 and best.cause != "one_device":
        # Several things fit equally well: say so, and say what would tell them apart.
        best = _Candidate("open", "open", Told("several_fit"))
    if given.coarse:
        best = best._replace(sure=_sureness(best.sure, given))
    return Diagnosis(
        best.cause,
        best.sure,
        (basis, best.reason, *_ruled_out(given, lost), *_rounded(given)),
        numbers,
        _tries(
            best.cause,
            better=2 * ideal / (2 * ideal + lost),
            efficiency=times / devices,
            rows=(given.batch or 0) * growth / devices,
            ideal=ideal,
            times=times,
        ),
        tuple((one.cause, one.sure) for one in candidates if one.cause != best.cause),
        missing,
    )


def _candidates(given: Measured, times: float, lost: float) -> list[_Candidate]:
    """Every cause that fits, and how well; the order decides between equals."""
    found = []
    part = None if given.ring is None or lost <= 0 else given.ring / lost
    if given.busy == "one":
        found.append(_Candidate("one_device", "likely", Told("one_busy")))
    if part is not None and part >= PARTLY:
        sure: Sure = "likely" if part >= EXPLAINS else "possible"
        values = {"ring": given.ring or 0.0, "lost": lost, "part": min(part, 1.0)}
        found.append(_Candidate("communication", sure, Told("ring_explains", values)))
    if given.busy == "idle":
        found.append(_Candidate("input", "likely", Told("all_idle")))
    if given.busy == "unknown" and abs(times - 1) <= FLAT:
        found.append(_Candidate("one_device", "possible", Told("unchanged", {"times": times})))
    if given.inferred == "batch" and (part is None or part < EXPLAINS):
        if given.one <= SHORT:
            found.append(_Candidate("small_batch", "likely", Told("short", {"one": given.one})))
        elif given.one <= SHORTISH:
            found.append(_Candidate("small_batch", "possible", Told("shortish")))
        elif given.batch is not None and given.batch / given.devices < FEW_ROWS:
            rows = {"rows": given.batch / given.devices}
            found.append(_Candidate("small_batch", "possible", Told("few_rows", rows)))
    if part is None:
        found.append(_Candidate("communication", "possible", Told("ring_not_known")))
    if given.busy == "unknown":
        found.append(_Candidate("input", "possible", Told("may_wait_for_input")))
    return found


def _ruled_out(given: Measured, lost: float) -> tuple[Told, ...]:
    """What the numbers exclude."""
    told = []
    if given.ring is not None and lost > 0 and given.ring < PARTLY * lost:
        told.append(Told("not_communication", {"ring": given.ring, "lost": lost}))
    if given.busy == "all":
        told.append(Told("not_input"))
    return tuple(told)


def _rounded(given: Measured) -> tuple[Told, ...]:
    told = []
    if given.coarse:
        off = max(given.one_off / given.one, given.many_off / given.many)
        told.append(Told("rounded", {"part": off}))
    if given.only_one_epoch:
        told.append(Told("only_one_epoch"))
    return tuple(told)


def _sureness(sure: Sure, given: Measured) -> Sure:
    """One step less sure when the times are coarse."""
    less: dict[Sure, Sure] = {"arithmetic": "likely", "likely": "possible"}
    return less.get(sure, sure) if given.coarse else sure


def _missing(given: Measured) -> tuple[str, ...]:
    """What would tell more."""
    told = {
        "parameters": given.parameters is None,
        "link": given.link is None,
        "busy": given.busy == "unknown",
        "epochs": given.only_one_epoch,
    }
    return tuple(name for name, lacks in told.items() if lacks)


_TRIES: dict[Cause, tuple[str, ...]] = {
    "contradiction": ("check_numbers", "leave_out_first", "rows_per_replica"),
    "tracing": ("leave_out_first", "more_steps"),
    "unknown_scaling": ("say_kept", "count_rows"),
    "fine": ("nothing", "bigger_batch_still"),
    "weak_numbers": ("count_rows", "shorter_epoch", "learning_rate"),
    "communication": ("bigger_batch", "fewer_bytes", "faster_link"),
    "input": ("same_batch_again", "prefetch_cache", "read_in_parallel"),
    "one_device": ("ask_devices", "build_in_scope", "watch_devices"),
    "small_batch": ("bigger_batch", "fewer_devices", "several_steps"),
    "open": ("same_batch_again", "share_alone", "watch_devices"),
}
"""Two or three things to try, in order."""
_STILL_LOST = ("count_rows", "same_batch_again", "watch_devices")
"""The same where a grown batch hides that much is lost."""


def _tries(cause: Cause, **values: float) -> tuple[Told, ...]:
    return tuple(Told(name, values) for name in _TRIES[cause])
