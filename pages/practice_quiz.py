"""Practice quiz: five questions, each answer with feedback and evidence.

Served as /quiz; a file called quiz.py here would hide the package `quiz`.
"""

from ui.quiz import panel

panel.page("practice", slug="quiz")
