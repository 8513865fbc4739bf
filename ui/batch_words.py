"""What Distribute says of a batch and of a plan, in sentences and table cells. No Streamlit."""

from __future__ import annotations

from pipeline.epoch_plan import Batch, EpochPlan
from ui.pictures_batch import squares_of
from ui.words import Words


def cut_of(words: Words, batch: Batch) -> str:
    """The rows of each replica, in short where all have as many."""
    sizes = [len(piece) for piece in batch.pieces]
    if len(set(sizes)) == 1:
        return words.text("each", {"rows": f"{sizes[0]:,}"})
    return ", ".join(f"R{replica} {size:,}" for replica, size in enumerate(sizes))


def frames(words: Words, batch: Batch, row: int) -> list[str]:
    """The sentences of the picture's two positions."""
    owner, per_square = batch.owner(row), squares_of(batch.rows)
    mine = words.text("not_in_it" if owner is None else "ringed")
    if per_square > 1:
        mine += " " + words.text("square", {"per_square": per_square})
    if not all(map(len, batch.pieces)):
        where = words.text("empty")
    elif len(batch.pieces) == 1:
        where = words.text("to_one")
    elif owner is None:
        where = words.text("to_others")
    else:
        where = words.text("to_mine", {"replica": f"R{owner}"})
    values = {"rows": f"{batch.rows:,}", "mine": mine, "cut": cut_of(words, batch), "where": where}
    return [frame.format_map(values) for frame in words.frames]


def counts(words: Words, plan: EpochPlan) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of rows for each replica in an epoch."""
    names = ["replica", "full", "last", "epoch"]
    if plan.steps == 1:
        names = ["replica", "epoch"]
    elif plan.rows % plan.config.global_batch == 0:
        names = ["replica", "full", "epoch"]
    rows = []
    for replica, (full, each, last, together) in enumerate(plan.per_replica):
        cells = {
            "replica": f"R{replica}",
            "full": f"{full:,} × {each:,}",
            "last": f"{last:,}",
            "epoch": f"{together:,}",
        }
        rows.append([cells[name] for name in names])
    return [words.text(f"heads_{name}") for name in names], rows


def history(words: Words, plan: EpochPlan) -> str:
    """`R1, R0, R0`: who has the row, epoch by epoch."""
    uses = [plan.use_in(epoch) for epoch in range(1, plan.epochs + 1)]
    return ", ".join(f"R{use.replica}" if use else words.text("nobody") for use in uses)


def by_epoch(words: Words, plan: EpochPlan) -> list[tuple[str, str]]:
    """For the panel of your row: each epoch's step and replica."""
    lines = []
    for epoch in range(1, plan.epochs + 1):
        use = plan.use_in(epoch)
        if use is None:
            lines.append((words.text("no_use", {"epoch": epoch}), words.text("out")))
        else:
            place = {"epoch": epoch, "step": f"{plan.step_of(use):,}"}
            lines.append((words.text("use", place), f"R{use.replica}"))
    return lines


def unasked(plan: EpochPlan) -> str | None:
    """Which text says why the prediction is not asked; None when it can be."""
    if plan.config.replicas == 1:
        return "ask_replicas"
    if plan.config.order == "as-is":
        return "ask_as_is"
    if plan.config.order == "one-class-each":
        return "ask_one_class"
    return "ask_epochs" if plan.epochs < 2 else None


def question(words: Words, plan: EpochPlan) -> dict[str, str]:
    """The prediction's values, when it can be asked."""
    first, second = (f"R{use.replica}" for use in plan.uses[:2])
    said = words.text("again" if first == second else "other", {"second": second})
    return {"first": first, "second_is": said, "history": history(words, plan)}
