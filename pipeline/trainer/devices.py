"""Where the replicas live: one real device each, or an honest stand-in.

Only called in the run's own process: TensorFlow fixes its devices when it initialises, and a
process that has listed GPUs must not be forked.
"""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow as tf


@dataclass(frozen=True)
class Devices:
    """The strategy, its device names in replica order, and one sentence about them."""

    strategy: tf.distribute.Strategy
    names: tuple[str, ...]
    note: str


def prepare(replicas: int, one_thread: bool = False) -> Devices:
    """Give each replica a device of its own and build the `MirroredStrategy` over them.

    Real GPUs when there are enough, otherwise logical devices of this machine's CPU: real
    arithmetic, but they share its cores. `one_thread` gives each logical device one thread.
    """
    if one_thread:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(max(2, replicas))
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) >= replicas:
        names = tuple(f"GPU:{index}" for index in range(replicas))
        note = (
            f"{replicas} replica{'s' * (replicas > 1)} on {replicas} GPU{'s' * (replicas > 1)} "
            "of this machine (Lockstep's GPU path is untested)."
        )
        return Devices(tf.distribute.MirroredStrategy(list(names)), names, note)
    (cpu, *_) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * replicas
    )
    names = tuple(f"CPU:{index}" for index in range(replicas))
    # Not the default collectives: on CPU devices they are slower and break when runs overlap.
    strategy = tf.distribute.MirroredStrategy(
        list(names), cross_device_ops=tf.distribute.ReductionToOneDevice()
    )
    if replicas == 1:
        note = "1 replica on this machine's CPU: nothing to combine, the baseline to compare with."
    else:
        note = (
            f"{replicas} replicas on {replicas} logical CPU devices of this machine: "
            "real arithmetic, no speed-up to expect."
        )
    return Devices(strategy, names, note)
