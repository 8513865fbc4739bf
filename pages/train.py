"""4b Train: one real run, its loss curve drawn while it runs."""

from pipeline import datasets, shapes
from ui import frame, run_panel, settings

config = settings.current()
data = datasets.load(config.data)
coming = shapes.of(data, config)

frame.opening(
    "Same batch, same curve, however many replicas",
    "Press <b>Train</b> and watch a real <code>MirroredStrategy</code> run. In each step every "
    "replica computes the loss of its own rows; the line in ink is the mean over all of them.",
)
frame.ribbon(coming.stages(), "4 Train")
run_panel.panel(config)
