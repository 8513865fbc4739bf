"""The trainer: the only package that imports TensorFlow, and only ever in its own process.

`python -m pipeline.trainer` is the warm process that forks one child for each run;
`python -m pipeline.trainer FOLDER` does one run in a fresh process. Both end in
`run.work(folder)`. Nothing outside this package imports it: `pipeline.launch` starts it.
"""
