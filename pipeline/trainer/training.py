"""One real training run under `tf.distribute.MirroredStrategy`, told to a listener.

`train` knows neither who listens nor where the records go: it hands every event to `emit` and
every fully kept step to `keep`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

import pipeline
from pipeline import distribute, events, observe, preprocess, step_records
from pipeline.config import RunConfig
from pipeline.datasets import DataSet
from pipeline.trainer import devices as device_choice
from pipeline.trainer.checks import Checks
from pipeline.trainer.local_rules import LocalRule
from pipeline.trainer.model import build_model, build_optimizer, example_losses, forward, is_right
from pipeline.trainer.replica import StepResult, TrainStep

Emit = Callable[[events.Event], None]
Keep = Callable[[step_records.StepRecord], Any]


class State(NamedTuple):
    """Weights and optimizer variables at one moment, as NumPy arrays."""

    weights: list[Any]
    optimizer: list[Any]


def train(config: RunConfig, data: DataSet, run_id: str, emit: Emit, keep: Keep) -> None:
    """Run `config` on `data` to its end. Raises whatever TensorFlow raises."""
    Run(config, data, run_id, emit, keep).go()


class Run:
    """The state of one run: scaled rows, the model under its strategy, what was seen so far."""

    def __init__(
        self, config: RunConfig, data: DataSet, run_id: str, emit: Emit, keep: Keep
    ) -> None:
        self.config, self.data, self.run_id, self.emit, self.keep = config, data, run_id, emit, keep
        self.row = min(config.row, len(data.x_train) - 1)
        scaler = preprocess.fit(data.x_train)
        self.x = scaler.apply(data.x_train)
        self.x_validation = scaler.apply(data.x_validation)
        self.orders = distribute.epoch_orders(data.y_train, config)
        self.steps_per_epoch = distribute.steps_per_epoch(len(self.orders[0]), config.global_batch)
        self.steps = self.steps_per_epoch * config.epochs
        mine = distribute.uses(
            self.row, self.orders[:5], replicas=config.replicas, batch=config.global_batch
        )
        self.kept = set(
            step_records.chosen_steps(self.steps, self.steps_per_epoch, (use.step for use in mine))
        )
        self.devices = device_choice.prepare(config.replicas, config.one_thread)
        self.strategy = self.devices.strategy
        with self.strategy.scope():
            self.model = build_model(data.x_train.shape[1], data.output_units, config.seed)
            self.optimizer = build_optimizer(config.optimizer, config.learning_rate)
            self.optimizer.build(self.model.trainable_variables)
        self.checks = Checks()
        self.train_step = TrainStep(self.strategy, self.model, self._rule())

    def go(self) -> None:
        """Tell the start and the stages, train, tell the end."""
        began = time.perf_counter()
        self._tell_start()
        batches = iter(self.strategy.experimental_distribute_dataset(self._batches()))
        step = 0
        before: observe.Numbers | None = None
        for epoch in range(1, self.config.epochs + 1):
            epoch_began = time.perf_counter()
            seen: list[tuple[float, float, int]] = []
            for _ in range(self.steps_per_epoch):
                step += 1
                seen.append(self._one_step(step, epoch, batches))
            if self.config.combine == "epoch":
                self._average_copies()
            before = self._tell_epoch(epoch, seen, time.perf_counter() - epoch_began, before)
        self.emit(
            events.RunFinished(
                checks=self.checks.result(),
                checked_steps=tuple(sorted(self.kept)),
                seconds=time.perf_counter() - began,
            )
        )

    def _rule(self) -> keras.optimizers.Optimizer | LocalRule:
        if self.config.combine == "step":
            return self.optimizer
        return LocalRule(
            self.config.optimizer,
            self.config.learning_rate,
            self.devices.names,
            self.model.trainable_variables,
        )

    def _batches(self) -> tf.data.Dataset:
        """Global batches of (row numbers, scaled rows, labels), epoch after epoch."""
        features, labels = tf.constant(self.x), tf.constant(self.data.y_train)

        @tf.autograph.experimental.do_not_convert
        def one_epoch(order: tf.Tensor) -> tf.data.Dataset:
            return tf.data.Dataset.from_tensor_slices(order).batch(self.config.global_batch)

        @tf.autograph.experimental.do_not_convert
        def with_values(rows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            return rows, tf.gather(features, rows), tf.gather(labels, rows)

        orders = tf.data.Dataset.from_tensor_slices(np.stack(self.orders))
        return orders.flat_map(one_epoch).map(with_values)

    def _tell_start(self) -> None:
        self.emit(
            events.RunStarted(
                schema=events.SCHEMA,
                run_id=self.run_id,
                config=self.config.model_dump(),
                versions={
                    "lockstep": pipeline.__version__,
                    "python": sys.version.split()[0],
                    "tensorflow": tf.__version__,
                    "keras": keras.__version__,
                    "numpy": np.__version__,
                },
                started=datetime.now(UTC).isoformat(timespec="seconds"),
                devices=self.devices.names,
                device_note=self.devices.note,
                parameters=int(self.model.count_params()),
                steps=self.steps,
                steps_per_epoch=self.steps_per_epoch,
                classes=self.data.classes,
            )
        )
        raw, width = self.data.x_train, self.x.shape[1]
        first = distribute.cut(self.orders[0][: self.config.global_batch], self.config.replicas)
        self.emit(
            events.Stage(
                stage="load",
                shape_in=self.data.table_shape,
                shape_out=raw.shape,
                sample=tuple(raw[self.row].tolist()),
                row=self.row,
            )
        )
        self.emit(
            events.Stage(
                stage="preprocess",
                shape_in=raw.shape,
                shape_out=self.x.shape,
                sample=tuple(self.x[self.row].tolist()),
                row=self.row,
            )
        )
        self.emit(
            events.Stage(
                stage="distribute",
                shape_in=self.x.shape,
                shape_out=tuple((len(part), width) for part in first),
                sample=tuple(self.x[first[0][0]].tolist()),
                row=int(first[0][0]),
            )
        )

    def _one_step(self, step: int, epoch: int, batches: Any) -> tuple[float, float, int]:
        """Train one step and tell it; returns loss sum, right answers and rows of the step."""
        keep = step in self.kept
        state = self.state() if keep else None
        result = self.train_step(batches)
        numbers = [part.numpy().tolist() for part in result.numbers]
        sizes = [int(part.shape[0]) for part in result.rows]
        total = sum(sizes)
        width = self.x.shape[1]
        loss_sum = sum(four[0] for four in numbers)
        right = sum(four[1] for four in numbers)
        self.emit(
            events.Step(
                step=step,
                epoch=epoch,
                loss=loss_sum / total,
                accuracy=right / total,
                replicas=tuple(
                    events.ReplicaStep(
                        replica=replica,
                        device=self.devices.names[replica],
                        batch_shape=(size, width),
                        loss=four[0] / size if size else None,
                        gradient_norm=four[2],
                        accuracy=four[1] / size if size else None,
                    )
                    for replica, (size, four) in enumerate(zip(sizes, numbers, strict=True))
                ),
                all_reduced_norm=numbers[0][3],
                copies_max_abs_diff=float(result.copies_max_abs_diff),
            )
        )
        if state is not None:
            record = self.record(step, state, result)
            rows = np.concatenate(record.rows)
            self.checks.look_at(record, self.x[rows], self.data.y_train[rows])
            self.keep(record)
        return loss_sum, right, total

    def state(self) -> State:
        """What the next step starts from: copy 0's weights, the optimizer's variables."""
        return State(self._copy(0), [self._copies(v)[0].numpy() for v in self.optimizer.variables])

    def record(self, step: int, before: State, result: StepResult) -> step_records.StepRecord:
        """A step in full, from the state it began with and what it gave."""
        return step_records.StepRecord(
            step=step,
            before=before.weights,
            optimizer=before.optimizer,
            own=[[tensor.numpy() for tensor in tensors] for tensors in result.own],
            sums=[[tensor.numpy() for tensor in tensors] for tensors in result.sums],
            after=[self._copy(replica) for replica in range(self.config.replicas)],
            rows=[part.numpy() for part in result.rows],
        )

    def _tell_epoch(
        self,
        epoch: int,
        seen: list[tuple[float, float, int]],
        seconds: float,
        before: observe.Numbers | None,
    ) -> observe.Numbers:
        loss_sum, right, rows = (sum(column) for column in zip(*seen, strict=True))
        val_loss, val_accuracy = self._evaluate(0, self.x_validation, self.data.y_validation)
        now = observe.Numbers(loss_sum / rows, right / rows, val_loss, val_accuracy)
        copies = 1 if self.config.combine == "step" else self.config.replicas
        on_all = [self._evaluate(c, self.x, self.data.y_train)[1] for c in range(copies)]
        logits = step_records.forward(self._copy(0), self.x[self.row : self.row + 1])
        self.emit(
            events.Epoch(
                epoch=epoch,
                loss=now.loss,
                accuracy=now.accuracy,
                val_loss=val_loss,
                val_accuracy=val_accuracy,
                seconds=seconds,
                observation=observe.observe(before, now),
                last_step=epoch * self.steps_per_epoch,
                all_rows_accuracy=tuple(on_all * (self.config.replicas // copies)),
                row_prediction=tuple(step_records.probabilities(logits)[0].tolist()),
            )
        )
        return now

    def _evaluate(
        self, copy: int, features: np.ndarray, labels: np.ndarray
    ) -> tuple[float | None, float | None]:
        """Mean loss and accuracy of one copy on some rows; None and None when there are none."""
        if not len(labels):
            return None, None
        wanted = tf.constant(labels)
        logits = forward(
            [tf.constant(weight) for weight in self._copy(copy)], tf.constant(features)
        )
        return (
            float(tf.reduce_mean(example_losses(wanted, logits))),
            float(tf.reduce_mean(is_right(wanted, logits))),
        )

    def _copies(self, variable: Any) -> Any:
        return self.strategy.experimental_local_results(variable.value)

    def _copy(self, replica: int) -> list[Any]:
        """One replica's weights as NumPy arrays, in the model's order."""
        return [self._copies(v)[replica].numpy() for v in self.model.trainable_variables]

    def _average_copies(self) -> None:
        """Give every copy the mean of all copies (local SGD; optimizer state stays apart)."""
        for variable in self.model.trainable_variables:
            copies = self._copies(variable)
            mean = np.mean([copy.numpy() for copy in copies], axis=0, dtype=np.float64)
            for copy in copies:
                copy.assign(mean.astype(np.float32))
