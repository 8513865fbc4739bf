"""The subject of the lesson, as seen from outside: data, settings, rows per replica, runs.

Nothing here knows Streamlit, and nothing outside `pipeline.trainer` imports TensorFlow.
"""

__version__ = "0.1.0"
