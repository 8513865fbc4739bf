"""Small experiments that decide what is true of a claim about `MirroredStrategy`.

An experiment is a short function that does something with TensorFlow and reports what it saw, a
claim in words with the same claim as a predicate over what was seen, and a control: the same
function with one argument changed, which must turn the predicate round. See docs/experiments.md.
"""
