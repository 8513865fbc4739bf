"""The quiz: questions in a YAML file, graded by pure functions, attempts kept in SQL.

    python -m quiz check quiz/bank.yaml
    python -m quiz grade --answers '{"strategy-purpose": "A"}'

`loading` reads a bank or says everything that is wrong with it, `keeper` watches one for a running
app, `grading` turns what a learner did into points, `attempts` remembers it. Nothing here knows a
page, an experiment or the network: names of lessons and experiments are handed in to be checked.
"""
