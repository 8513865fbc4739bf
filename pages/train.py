"""4b Train: one real run, its loss curve drawn while it runs."""

from ui import lesson, run_panel

page = lesson.Page("train")
page.open()
run_panel.panel(page.context)
page.close()
