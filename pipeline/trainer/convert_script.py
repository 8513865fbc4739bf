"""The script of Convert it, with nothing inside the scope. Run it, never import it: it trains."""

import keras
import tensorflow as tf

(cpu,) = tf.config.list_physical_devices("CPU")
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
combine = tf.distribute.ReductionToOneDevice()
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], combine)
keras.utils.set_random_seed(3)
x = tf.random.normal((512, 20))
y = tf.reduce_sum(x, axis=1, keepdims=True)

model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(1)])  # build
model.compile(optimizer="adam", loss="mse")  # compile
model.fit(x, y, batch_size=64, verbose=0)  # fit
