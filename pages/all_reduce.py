"""How an all-reduce works: all to one and in a ring, move by move, on a step of the run."""

import streamlit as st

from ui import frame, keys, lesson, player, ring

page = lesson.Page(ring.SLUG)
say = page.words.text
run, why = ring.run_shown(page.context.run)
count_key, step_key = keys.ring_replicas(run.run_id), keys.ring_step(run.run_id)
count = int(st.session_state.get(count_key) or ring.first_count(run))
step = int(st.session_state.get(step_key) or run.kept[0])
values = {**ring.sizes(run), "step": f"{step:,}", "replicas": count}
page.open(values)
if why:
    st.info(f"{say(why)} {say('instead')}", icon=":material/info:")

left, right = st.columns(2, gap="medium")
with left:
    ran = run.config.replicas
    count = st.select_slider(
        say("replicas"),
        ring.COUNTS,
        count,
        format_func=lambda n: say("as_it_ran", {"replicas": n}) if n == ran else str(n),
        key=count_key,
        persist_state="session",
    )
with right:
    if len(run.kept) > 1:
        step = st.select_slider(say("step"), run.kept, step, key=step_key, persist_state="session")

made = ring.made(run.run_id, step, count)
if made is None:
    page.say("not_finite")
else:
    title = say("picture", values)
    player.show(
        player.Show(
            source=f"ring-{run.run_id}-{step}-{count}",
            label=title,
            charts=[
                player.Chart(made.to_one, say("to_one"), f"{say('to_one')}. {made.frames[-1]}"),
                player.Chart(made.ring, say("ring"), f"{say('ring')}. {made.frames[-1]}"),
            ],
            frames=made.frames,
            total=len(made.frames) - 1,
            seconds=2 * (len(made.frames) - 1),
        ),
        key=keys.PICTURE,
    )
    page.say("legend")
    st.markdown(made.shown)
page.predict(values)

if made is not None:
    st.header(say("checks"), anchor=False)
    page.say("checks_help", values)
    frame.table(*made.checks, "ring-checks")
    st.markdown(made.why_not_zero)
    with st.expander(say("numbers")), st.container(key=keys.RING_NUMBERS):
        frame.table(*made.numbers, "ring-numbers")

st.header(say("bytes"), anchor=False)
left, right = st.columns([4, 5], gap="medium")
with left:
    chart = ring.bytes_picture(page.words, run)
    player.still([player.Chart(chart, "", say("bytes_alt", values))], say("bytes"), keys.RING_BYTES)
with right:
    frame.table(*ring.bytes_table(page.words, run), "bytes")
page.say("formula", values)
page.say("waiting")

st.header(say("here"), anchor=False)
page.say("here_help")
page.code("pipeline/collectives.py", "ring")
page.code("pipeline/trainer/devices.py", "prepare")
page.close()
