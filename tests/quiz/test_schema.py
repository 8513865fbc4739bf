"""The schema for editors is in step with the models, and agrees with the loader."""

from __future__ import annotations

import json
from pathlib import Path

from quiz.model import Bank, Evidence, Option, Question, SetInfo
from quiz.schema import json_schema

FILE = Path(__file__).resolve().parents[2] / "docs/quiz-bank.schema.json"


def test_the_file_is_what_the_command_prints():
    kept = json.loads(FILE.read_text(encoding="utf-8"))

    assert kept == json_schema(), "run: python -m quiz schema > docs/quiz-bank.schema.json"


def test_every_key_a_bank_may_have_is_in_it_and_no_other_is_allowed():
    schema = json_schema()
    for model, part in (
        (Bank, schema),
        (Question, schema["$defs"]["Question"]),
        (Option, schema["$defs"]["Option"]),
        (Evidence, schema["$defs"]["Evidence"]),
        (SetInfo, schema["$defs"]["SetInfo"]),
    ):
        names = {field.alias or name for name, field in model.model_fields.items()}
        assert set(part["properties"]) == names
        assert part["additionalProperties"] is False


def test_the_short_forms_of_yaml_are_allowed():
    question = json_schema()["$defs"]["Question"]["properties"]

    assert [way["type"] for way in question["hint"]["anyOf"]] == ["string", "array"]
    assert question["options"]["required"] == ["A", "B", "C", "D"]
