"""Programs that are wrong, or look it, each beside its repair: the cards of Break it.

A program takes `make_strategy` and `build_model`, says what it does in a dozen lines, and returns
its model, or named results. `verdict.watch` runs it on two devices and on one, and judges it by
what was seen. `pipeline.cards` names all of them without TensorFlow.
"""
