"""Check yourself: three questions about what the lesson has shown, then the key insight."""

from ui.quiz import panel

panel.page("check", slug="check-yourself")
