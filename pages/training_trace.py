from ui import lesson

page = lesson.Page("training-trace")
