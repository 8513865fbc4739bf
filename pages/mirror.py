"""4a Mirror: the scope decides how many copies of a variable there are, and where they live."""

import streamlit as st

from ui import charts, frame, keys, lesson, mirror_state, pictures_mirror, player
from ui.pictures_mirror import kilobytes

page = lesson.Page("mirror")
say, here = page.words.text, page.context
shown = mirror_state.resolve(here)
inside, outside = shown.found.inside, shown.found.outside
replicas, (features, units) = shown.found.replicas, inside.copies[0].shape
batch = min(here.config.global_batch, here.shapes.rows)
needs = shown.found.needs(batch)
drawn = len(pictures_mirror.shown_features(features))
values = {
    "kind_inside": f"`{inside.kind}`",
    "kind_outside": f"`{outside.kind}`",
    "device_outside": outside.short_devices[0],
    "devices": say("range", {"first": inside.short_devices[0], "last": inside.short_devices[-1]})
    if replicas > 2
    else " and ".join(inside.short_devices),
    "replicas": replicas,
    "features": features,
    "units": units,
    "shown": drawn,
    "batch": f"{batch:,}",
    "per_row": f"{shown.found.activations_per_row:,}",
    "first": kilobytes(needs[0].total),
    "last": kilobytes(needs[-1].total),
    "last_replicas": needs[-1].replicas,
}
same = "same_one" if replicas == 1 else "same" if inside.identical else "not_same"
in_frames = values | {"kind_inside": inside.kind, "kind_outside": outside.kind}
in_frames["copies"] = say("copies_one" if replicas == 1 else "copies_many", in_frames)
in_frames["same"] = say(same)
page.open(values)

names = here.data.features if shown.exact else [f"column {n + 1}" for n in range(features)]
player.show(
    player.Show(
        source=f"mirror-{replicas}-{features}",
        label=say("picture", values),
        charts=[
            player.Chart(
                charts.kept(pictures_mirror.copies, shown.found, names),
                say("picture", values),
                say("alt", values),
            )
        ],
        frames=page.frames(in_frames),
        total=1,
        seconds=1.5,
    ),
    key=keys.PICTURE,
)
if drawn < features:
    page.say("some", values)
with st.container():
    mirror_state.note(page.words, shown, here)

if replicas == 1:
    page.say("ask_one")
else:
    page.predict(values)

st.header(say("where"), anchor=False)
frame.table(
    [say("heads_made"), say("heads_copy"), say("heads_device")],
    [
        [say("outside"), say("only"), outside.devices[0]],
        *([say("inside"), f"R{n}", device] for n, device in enumerate(inside.devices)),
    ],
    "devices",
)

st.header(say("bytes"), anchor=False)
page.say("bytes_help")
left, right = st.columns([4, 5], gap="medium")
with left:
    chart = charts.kept(pictures_mirror.bytes_on_device, needs, replicas)
    player.still([player.Chart(chart, "", say("bytes_alt", values))], say("bytes"), keys.MEMORY)
with right:
    heads = ("replicas", "weights", "gradients", "optimizer", "activations", "total")
    frame.table(
        [say(f"heads_{name}") for name in heads],
        [
            [str(one.replicas), *(kilobytes(getattr(one, name)) for name in heads[1:])]
            for one in needs
        ],
        "bytes",
    )
page.say("bytes_counted", values)
page.code("pipeline/trainer/mirror.py", "mirror")
page.close()
