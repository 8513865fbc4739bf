"""6 Convert it: build, compile and fit, each inside the scope or outside; eight programs, run."""

import streamlit as st

from ui import code, convert_board, convert_state, lesson

page = lesson.Page("convert-it")
words = page.words
page.open()
shown = convert_state.resolve()

optimizer, letter = convert_board.switches(words)
program = shown.programs.at(optimizer, letter)
st.markdown(words.text("script", {"letter": letter, "optimizer": words.text(optimizer)}))
st.code(program.code, language="python", wrap_lines=True)

convert_board.board(words, shown, optimizer, letter)
if convert_board.is_open():
    convert_board.summary(words, shown, optimizer)
    convert_board.reading(words, program, letter)
    with st.container():
        convert_state.note(words, shown)
    convert_board.again(words)
    with st.expander(words.text("table")):
        convert_board.table(words, shown)
page.code("pipeline/trainer/convert.py", "run_program")

st.header(words.text("three"), anchor=False)
page.say("three_help")
st.code(code.whole("pipeline/trainer/three_lines.txt"), language="python", wrap_lines=True)
convert_board.printed(words, program, letter)
page.close()
