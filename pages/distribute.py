from ui import lesson

page = lesson.Page("distribute")
