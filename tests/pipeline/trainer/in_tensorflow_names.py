"""Which of `conftest.SETTINGS` the runs of `in_tensorflow.ALONE` repeat, in its order."""

ALONE_NAMES = ("defaults", "255 on 3", "33 on 4 with SGD")
