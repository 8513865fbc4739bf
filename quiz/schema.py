"""The shape of a bank for editors: a JSON Schema, made from the models and the YAML short forms."""

from __future__ import annotations

from typing import Any

from quiz.model import LETTERS, MOST_TEXT, Bank


def json_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a bank as it is written in YAML.

    An editor with it completes keys and marks typos; `python -m quiz check` knows far more.
    """
    schema = Bank.model_json_schema(by_alias=True)
    question = schema["$defs"]["Question"]["properties"]
    text = {"type": "string", "minLength": 1, "maxLength": MOST_TEXT}
    question["hint"] = {
        "description": question["hint"].get("description", ""),
        "anyOf": [text, {"type": "array", "items": text, "minItems": 1, "maxItems": 12}],
    }
    question["options"] = {
        "type": "object",
        "properties": {letter: {"$ref": "#/$defs/Option"} for letter in LETTERS},
        "required": list(LETTERS),
        "additionalProperties": False,
    }
    evidence = schema["$defs"]["Evidence"]["properties"]["experiment"]
    schema["$defs"]["Option"]["properties"]["evidence"] = {
        "anyOf": [evidence, {"$ref": "#/$defs/Evidence"}]
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Lockstep question bank",
    }
