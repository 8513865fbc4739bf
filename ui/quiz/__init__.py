"""The quiz on a page: taking it, what was earned, results.

`panel.page("practice")` is a whole page. Everything a learner sees of a question comes from
`Attempt.view`, so that nothing reaches the browser before it is earned; nothing here reads a
question's key. Acts go through `desk`, as callbacks of buttons.
"""
