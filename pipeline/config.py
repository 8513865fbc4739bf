"""Every setting a learner can change, in one table: `RunConfig`.

The fields of `RunConfig` are the table. Each carries its default, its limits, its label and
its help, and from them come the widgets (`ui.settings`), the command-line flags
(`pipeline.__main__`), the URL and the `config` object of a run's first event.
What a server allows on top of this (how many runs, how long) is not here: see `pipeline.limits`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen
from pydantic import BaseModel, ConfigDict, Field, ValidationError

Order = Literal["shuffled", "as-is", "one-class-each"]
Combine = Literal["step", "epoch", "never"]
Optimizer = Literal["adam", "sgd"]
LeaveOut = Literal["nothing", "rows", "columns", "rows+columns"]


class ConfigError(ValueError):
    """A setting out of its range. `problems` holds one sentence for each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class RunConfig(BaseModel):
    """The settings of one run. Frozen; two equal configs give the same start and row order."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    data: str = Field(
        "synthetic",
        max_length=300,
        title="Data",
        description="synthetic, digits, breast-cancer, or a CSV file of your own",
    )
    replicas: int = Field(
        2, ge=1, le=8, title="Replicas", description="copies of the model, one on each device"
    )
    global_batch: int = Field(
        256,
        ge=1,
        le=100_000,
        title="Global batch",
        description="rows in one step, over all replicas",
    )
    epochs: int = Field(
        5, ge=1, le=1_000, title="Epochs", description="passes over the training rows"
    )
    learning_rate: float = Field(
        0.001, gt=0, le=10, title="Learning rate", description="size of one update"
    )
    optimizer: Optimizer = Field(
        "adam", title="Optimizer", description="the rule that turns a gradient into an update"
    )
    seed: int = Field(
        7,
        ge=0,
        le=2**31 - 1,
        title="Seed",
        description="fixes the start weights and the order of the rows",
    )
    order: Order = Field(
        "shuffled",
        title="Row order",
        description="shuffled anew each epoch; as-is, as the table lists them; "
        "one-class-each, every replica gets only its share of the classes",
    )
    combine: Combine = Field(
        "step",
        title="Combine",
        description="step: all-reduce the gradients in every step; "
        "epoch: average the weights once an epoch; never: train apart",
    )
    row: int = Field(
        0,
        ge=0,
        le=10_000_000,
        title="Your row",
        description="the training row that is followed through the run, counted from 0",
    )
    one_thread: bool = Field(
        False,
        title="One thread per device",
        description="give each logical device one thread, so that cores can stand in for devices",
    )
    label: str = Field(
        "",
        max_length=200,
        title="Label column",
        description="which column of your CSV is the label; empty means the last",
    )
    leave_out: LeaveOut = Field(
        "nothing",
        title="Leave out",
        description="of your CSV: rows with missing or infinite values, columns that hold words",
    )

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """Build a config from loose values (text allowed); raises ConfigError with sentences."""
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise ConfigError(tuple(_sentence(item) for item in error.errors())) from None

    def to_query(self) -> dict[str, str]:
        """The settings that differ from the defaults, as URL query values."""
        default = type(self)()
        return {name: _as_text(value) for name, value in self if value != getattr(default, name)}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[Self, tuple[str, ...]]:
        """Read a URL's query: the config, and a sentence for each value that was not usable.

        Names that are no setting are ignored (a page may have parameters of its own).
        """
        good: dict[str, Any] = {}
        problems: list[str] = []
        for name in cls.model_fields.keys() & query.keys():
            try:
                cls.checked({name: query[name]})
            except ConfigError as error:
                problems += [f"{text}. The default is used instead" for text in error.problems]
            else:
                good[name] = query[name]
        return cls.checked(good), tuple(sorted(problems))

    def differs_from(self, other: RunConfig) -> dict[str, tuple[Any, Any]]:
        """Settings whose values differ: name to (mine, theirs)."""
        return {
            name: (value, getattr(other, name))
            for name, value in self
            if value != getattr(other, name)
        }


@dataclass(frozen=True)
class Setting:
    """One row of the settings table, read off a field of `RunConfig`."""

    name: str
    title: str
    help: str
    default: Any
    kind: type
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    """The largest number, or the most characters of a text."""

    @property
    def flag(self) -> str:
        """The command-line spelling: `global_batch` is `--global-batch`."""
        return "--" + self.name.replace("_", "-")


def _setting(name: str) -> Setting:
    field = RunConfig.model_fields[name]
    low: float | None = None
    high: float | None = None
    for bound in field.metadata:
        if isinstance(bound, Ge):
            low = bound.ge  # type: ignore[assignment]
        elif isinstance(bound, Gt):
            low = bound.gt  # type: ignore[assignment]
        elif isinstance(bound, Le):
            high = bound.le  # type: ignore[assignment]
        elif isinstance(bound, MaxLen):
            high = bound.max_length
    is_choice = get_origin(field.annotation) is Literal
    return Setting(
        name=name,
        title=field.title or name,
        help=field.description or "",
        default=field.default,
        kind=str if is_choice else cast(type, field.annotation),
        choices=get_args(field.annotation) if is_choice else (),
        low=low,
        high=high,
    )


SETTINGS: dict[str, Setting] = {name: _setting(name) for name in RunConfig.model_fields}


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sentence(error: Any) -> str:
    """One pydantic error as a sentence: setting, what it may be, value received."""
    name = str(error["loc"][0])
    got = repr(error["input"])
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name, RunConfig.model_fields, n=1)
        return f"there is no setting {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    setting = SETTINGS[name]
    if setting.choices:
        may_be = "one of " + ", ".join(setting.choices)
    elif setting.kind is bool:
        may_be = "true or false"
    elif setting.kind is str:
        may_be = f"a text of at most {setting.high:,.0f} characters"
    elif setting.kind is int:
        may_be = f"a whole number from {setting.low:,.0f} to {setting.high:,.0f}"
    else:
        may_be = f"a number above {setting.low:g} and at most {setting.high:g}"
    return f"{setting.title} ({setting.flag}) must be {may_be}; got {got}"
