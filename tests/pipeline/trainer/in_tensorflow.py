"""What TensorFlow really does, observed in processes of its own and printed for the tests.

    python -m tests.pipeline.trainer.in_tensorflow FOLDER

TensorFlow fixes its devices once in a process, so the pytest process never imports it. This
program imports it once, initialises nothing, and forks one child for each observation, two at a
time (the way the trainer does it); each writes FOLDER/<name>.json. `conftest.observed` runs it.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

from pipeline import datasets, distribute, step_records
from pipeline.config import RunConfig
from pipeline.trainer import devices, model
from pipeline.trainer.checks import Checks
from pipeline.trainer.local_rules import LocalRule
from pipeline.trainer.replica import TrainStep
from pipeline.trainer.training import Run
from tests.pipeline.real_runs import ALONE, SETTINGS

BATCHES = (3, 33, 64)


def main(out: Path) -> int:
    """Fork a child for each observation, at most two at a time; 1 when one failed."""
    going: set[int] = set()
    failed = False
    for name, observe in observations().items():
        if len(going) == 2:
            failed |= reap(going)
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                (out / f"{name}.json").write_text(json.dumps(observe()))
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        going.add(pid)
    while going:
        failed |= reap(going)
    return int(failed)


def reap(going: set[int]) -> bool:
    pid, status = os.wait()
    going.remove(pid)
    return status != 0


def observations() -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {
        f"cuts-{replicas}": partial(cuts, replicas) for replicas in range(1, 9)
    }
    found |= {f"alone {name}": partial(alone, RunConfig.checked(SETTINGS[name])) for name in ALONE}
    found |= {
        "rules-1": rules_on_one_replica,
        "rules-2": rules_on_two_replicas,
        "left-out": one_row_left_out,
        "model": the_model,
        "checks": the_checks,
        "devices": the_devices,
        "one-thread": one_thread,
    }
    return found


# Rows ----------------------------------------------------------------------------------------


def cases(replicas: int) -> list[tuple[int, int]]:
    """(training rows, global batch): full and last batches of every awkward size."""
    found = [(rows, batch) for batch in BATCHES for rows in (batch + 1, batch + batch // 2)]
    return [*found, (64 + replicas - 1, 64), (2, 1), (replicas, 255)]


def cuts(replicas: int) -> list[dict[str, Any]]:
    """The row numbers TensorFlow hands each replica in each step of two epochs."""
    strategy = devices.prepare(replicas).strategy
    found = []
    for rows, batch in cases(replicas):
        labels = (np.arange(rows) % 2).astype(np.int32)
        orders = [
            distribute.epoch_order(
                labels, epoch, seed=3, order="shuffled", replicas=replicas, batch=batch
            )
            for epoch in (1, 2)
        ]
        stand_in: Any = SimpleNamespace(
            x=np.zeros((rows, 1), np.float32),
            data=SimpleNamespace(y_train=labels),
            orders=orders,
            config=RunConfig(replicas=replicas, global_batch=batch),
        )
        steps = [
            [part.numpy().tolist() for part in strategy.experimental_local_results(numbers)]
            for numbers, _, _ in strategy.experimental_distribute_dataset(Run._batches(stand_in))
        ]
        found.append({"rows": rows, "batch": batch, "steps": steps})
    return found


# The same training without any of our code -----------------------------------------------------


def alone(config: RunConfig) -> dict[str, Any]:
    """Plain Keras, `train_on_batch`, one device, from the same start and in the same order."""
    data = datasets.load(config.data)
    low, high = data.x_train.min(0), data.x_train.max(0)
    x = (data.x_train - low) / np.where(high > low, high - low, 1)
    start = model.build_model(x.shape[1], data.output_units, config.seed).get_weights()
    network = keras.Sequential(
        [
            keras.Input((x.shape[1],)),
            keras.layers.Dense(64, "relu"),
            keras.layers.Dense(32, "relu"),
            keras.layers.Dense(data.output_units),
        ]
    )
    network.set_weights(start)
    binary = data.output_units == 1
    kind = "BinaryCrossentropy" if binary else "SparseCategoricalCrossentropy"
    network.compile(
        {"adam": keras.optimizers.Adam, "sgd": keras.optimizers.SGD}[config.optimizer](
            config.learning_rate
        ),
        getattr(keras.losses, kind)(from_logits=True),
    )
    epochs = []
    for epoch in range(1, config.epochs + 1):
        order = distribute.epoch_order(
            data.y_train,
            epoch,
            seed=config.seed,
            order=config.order,
            replicas=config.replicas,
            batch=config.global_batch,
        )
        total = 0.0
        for first in range(0, len(order), config.global_batch):
            rows = order[first : first + config.global_batch]
            labels = data.y_train[rows]
            network.reset_metrics()  # else the loss returned is a running mean
            loss = network.train_on_batch(x[rows], labels[:, None] if binary else labels)
            total += float(loss) * len(rows)
        epochs.append(total / len(order))
    return {
        "start": [weight.tolist() for weight in start],
        "weights": [weight.tolist() for weight in network.get_weights()],
        "losses": epochs,
    }


# Update rules -------------------------------------------------------------------------------------


def gradients_for(step: int, replica: int, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    random = np.random.default_rng([step, replica])
    return [random.normal(0, 10.0 ** (step % 3 - 2), shape).astype(np.float32) for shape in shapes]


def updater(strategy: Any, rule: LocalRule, mirrored: list[Any]) -> Any:
    @tf.function
    def apply(per_replica):
        strategy.run(lambda *gradients: rule.apply(gradients, mirrored), args=per_replica)

    return apply


def rules(replicas: int, steps: int) -> dict[str, float]:
    """Largest relative difference from a Keras optimizer that each copy would have had."""
    strategy = devices.prepare(replicas).strategy
    names = [f"CPU:{index}" for index in range(replicas)]
    shapes = [(4, 3), (3,)]
    found = {}
    for rule_name in ("adam", "sgd"):
        with strategy.scope():
            mirrored = [keras.Variable(np.ones(shape, np.float32)) for shape in shapes]
        rule = LocalRule(rule_name, 0.01, names, mirrored)
        plain = [[keras.Variable(np.ones(shape, np.float32)) for shape in shapes] for _ in names]
        optimizers = [model.build_optimizer(rule_name, 0.01) for _ in names]

        apply = updater(strategy, rule, mirrored)
        for step in range(steps):
            drawn = [gradients_for(step, replica, shapes) for replica in range(replicas)]
            apply(
                tuple(
                    strategy.experimental_distribute_values_from_function(
                        lambda context, index=index, drawn=drawn: tf.constant(
                            drawn[context.replica_id_in_sync_group][index]
                        )
                    )
                    for index in range(len(shapes))
                )
            )
            for optimizer, mine, variables in zip(optimizers, drawn, plain, strict=True):
                optimizer.apply([tf.constant(g) for g in mine], variables)
        found[rule_name] = max(
            float(np.abs(copy.numpy() - plain[replica][index].numpy()).max())
            for index, variable in enumerate(mirrored)
            for replica, copy in enumerate(strategy.experimental_local_results(variable.value))
        )
        moved = max(float(np.abs(v.numpy() - 1).max()) for v in plain[0])
        found[f"{rule_name} moved"] = moved
    return found


def rules_on_one_replica() -> dict[str, float]:
    return rules(1, 200)


def rules_on_two_replicas() -> dict[str, float]:
    return rules(2, 20)


# What if one row were not there ------------------------------------------------------------------


def one_row_left_out() -> dict[str, Any]:
    """The same step twice from the same start, the second time without row 2 of eight."""
    strategy = devices.prepare(2).strategy
    random = np.random.default_rng(5)
    x = random.uniform(size=(8, 3)).astype(np.float32)
    y = (np.arange(8) % 2).astype(np.int32)
    told = []
    for left_out in (-1, 2):
        with strategy.scope():
            network = model.build_model(3, 1, seed=1)
            optimizer = model.build_optimizer("adam", 0.01)
            optimizer.build(network.trainable_variables)
        data = tf.data.Dataset.from_tensor_slices((np.arange(8), x, y)).batch(8)
        batches = iter(strategy.experimental_distribute_dataset(data))
        result = TrainStep(strategy, network, optimizer)(batches, left_out)
        copies = [
            [
                strategy.experimental_local_results(v.value)[replica].numpy().tolist()
                for v in network.trainable_variables
            ]
            for replica in range(2)
        ]
        told.append(
            {
                "rows": [part.numpy().tolist() for part in result.rows],
                "own": [[g.numpy().tolist() for g in part] for part in result.own],
                "copies": copies,
            }
        )
    with_row, without = told
    # The gradient without the row and with the same divisor, by a plain tape on one device.
    weights = [tf.constant(w) for w in model.build_model(3, 1, seed=1).get_weights()]
    with tf.GradientTape() as tape:
        tape.watch(weights)
        kept = np.array([0, 1, 3])
        losses = model.example_losses(tf.constant(y[kept]), model.forward(weights, x[kept]))
        loss = tf.reduce_sum(losses) / 8
    expected = [g.numpy().tolist() for g in tape.gradient(loss, weights)]
    return {"with": with_row, "without": without, "expected": expected}


# The model, the checks, the devices -------------------------------------------------------------


def the_model() -> dict[str, Any]:
    random = np.random.default_rng(9)
    found: dict[str, Any] = {"parameters": model.build_model(20, 1, 7).count_params()}
    same = [model.build_model(5, 3, 7).get_weights() for _ in range(2)]
    other = model.build_model(5, 3, 8).get_weights()
    found["same_seed"] = all(np.array_equal(a, b) for a, b in zip(*same, strict=True))
    found["other_seed"] = any(not np.array_equal(a, b) for a, b in zip(same[0], other, strict=True))
    for units in (1, 3):
        network = model.build_model(5, units, 7)
        rows = random.normal(0, 3, (40, 5)).astype(np.float32)
        labels = random.integers(0, max(2, units), 40).astype(np.int32)
        logits = network(rows)
        found[str(units)] = {
            "weights": [w.tolist() for w in network.get_weights()],
            "rows": rows.tolist(),
            "labels": labels.tolist(),
            "keras": logits.numpy().tolist(),
            "forward": model.forward(
                [tf.constant(w) for w in network.get_weights()], tf.constant(rows)
            )
            .numpy()
            .tolist(),
            "losses": model.example_losses(tf.constant(labels), logits).numpy().tolist(),
            "right": model.is_right(tf.constant(labels), logits).numpy().tolist(),
        }
    return found


def the_checks() -> dict[str, Any]:
    """Verdicts on records that are right, and on records that are wrong in one known way."""
    network = model.build_model(4, 1, 3)
    weights = [w.astype(np.float32) for w in network.get_weights()]
    random = np.random.default_rng(2)
    x = random.uniform(size=(6, 4)).astype(np.float32)
    y = (np.arange(6) % 2).astype(np.int32)

    def gradient(rows: slice) -> list[np.ndarray]:
        tensors = [tf.constant(w) for w in weights]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            losses = model.example_losses(tf.constant(y[rows]), model.forward(tensors, x[rows]))
            loss = tf.reduce_sum(losses) / 6
        return [g.numpy() for g in tape.gradient(loss, tensors)]

    own = [gradient(slice(0, 4)), gradient(slice(4, 6))]
    total = [a + b for a, b in zip(*own, strict=True)]

    def verdict(*changes: dict[str, Any]) -> dict[str, Any]:
        checks = Checks()
        for change in changes:
            fields: dict[str, Any] = {
                "step": 1,
                "before": weights,
                "optimizer": [],
                "own": own,
                "sums": [total, total],
                "after": [weights, weights],
                "rows": [np.arange(4), np.arange(4, 6)],
            }
            checks.look_at(step_records.StepRecord(**fields | change), x, y)
        return {name: check.model_dump() for name, check in checks.result().items()}

    def nudged(tensors: list[np.ndarray], by: float) -> list[np.ndarray]:
        """The same but for one number in a tensor that is neither the first nor the last."""
        copies = [t.copy() for t in tensors]
        copies[3].flat[1] += by
        return copies

    lost = {"own": [own[0], nudged(own[1], float("nan"))]}
    return {
        "right": verdict({}),
        "sum": verdict({"own": [own[0], nudged(own[1], 0.01)]}),
        "halved": verdict({"own": [[g / 2 for g in part] for part in own],
                           "sums": 2 * [[g / 2 for g in total]]}),
        "copies": verdict({"after": [weights, nudged(weights, 1e-7)]}),
        "apart": verdict({"sums": [], "after": [weights, nudged(weights, 0.5)]}),
        "nan": verdict(lost),
        "nan, then right": verdict(lost, {}),
        "right, then nan": verdict({}, lost),
    }  # fmt: skip


def the_devices() -> dict[str, Any]:
    chosen = devices.prepare(3)
    with chosen.strategy.scope():
        variable = keras.Variable(1.0)
    copies = chosen.strategy.experimental_local_results(variable.value)
    return {
        "names": chosen.names,
        "note": chosen.note,
        "listed": [device.name for device in tf.config.list_logical_devices("CPU")],
        "homes": [copy.device for copy in copies],
        "in_sync": chosen.strategy.num_replicas_in_sync,
    }


def one_thread() -> dict[str, Any]:
    devices.prepare(2, one_thread=True)
    tf.constant(1.0)
    return {"intra": tf.config.threading.get_intra_op_parallelism_threads()}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
