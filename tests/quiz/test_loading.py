"""Any bytes become a bank or lines that say what is wrong, where, and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from quiz.loading import examine, examine_bytes, load
from quiz.problems import BankError, report

CASES = Path(__file__).resolve().parents[1] / "cases/bank"
LINE = re.compile(r"[^\n]+:\d+:\d+: [^\n]+; got [^\n]+; try [^\n]+")
LOADERS = [yaml.BaseLoader, *([yaml.CBaseLoader] if hasattr(yaml, "CBaseLoader") else [])]

# For each case the lines that must come, as place and words; nothing else may come.
EXPECTED: dict[str, list[tuple[str, list[str]]]] = {
    "valid": [],
    "boolean_words_as_text": [],
    "float_like_text": [],
    "answer_no": [("13:13", ["must be A, B, C or D", "got 'No'"])],
    "answer_lowercase": [("13:13", ["must be A, B, C or D", "got 'a'", "try 'A'"])],
    "comment_eats_text": [("14:11", ["after ` #`", "'# per replica'", "quotes"])],
    "colon_in_text": [("14:39", ["colon", "in quotes"])],
    "duplicate_key": [("20:5", ["`hint`", "twice", "line 14"])],
    "duplicate_id": [("22:9", ["taken", "line 4", "'gradient-copies'"])],
    "lookalike_options": [("10:17", ["options A and B look the same"])],
    "unknown_key": [
        ("4:5", ["needs `solution`"]),
        ("15:5", ["`solutions` is unknown", "`solution`: did you mean"]),
    ],
    "missing_option": [("9:7", ["needs the options A, B, C, D", "got A, B, C", "adding D"])],
    "empty": [("1:1", ["the file is empty"])],
    "tab_indent": [("20:1", ["a tab where spaces are needed"])],
    "latin1": [("14:12", ["not UTF-8", "0xE4"])],
}


def test_every_case_has_an_expected_answer():
    assert {path.stem for path in CASES.glob("*.yaml")} == set(EXPECTED)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_each_bank_case_is_answered_as_its_readme_says(case: str, loader: type):
    path = CASES / f"{case}.yaml"

    found = examine_bytes(path.read_bytes(), path.name, loader=loader)

    lines = report(path.name, found.problems)
    assert (found.bank is not None) == (EXPECTED[case] == [])
    assert len(lines) == len(EXPECTED[case]), lines
    for line, (place, words) in zip(lines, EXPECTED[case], strict=True):
        assert LINE.fullmatch(line)
        assert line.startswith(f"{path.name}:{place}: ")
        assert all(word in line for word in words), line


@pytest.mark.parametrize(
    "case, texts",
    [
        ("boolean_words_as_text", ["Yes", "No", "On", "Off"]),
        ("float_like_text", ["1.10", "0x10", "010", "12:30:45"]),
    ],
)
def test_options_read_exactly_as_they_were_written(case: str, texts: list[str]):
    question = load(CASES / f"{case}.yaml").questions[0]

    assert [option.text for option in question.options.values()] == texts


def test_all_problems_of_a_file_come_at_once(valid: str, lines):
    text = valid.replace("answer: A", "answer: E").replace("hint: Count", "hint: a: Count")
    text = text.replace("difficulty: easy", "difficulty: esy\n    colour: x")
    text = text.replace("lesson: aggregate", "lesson: agregate\n    prompt: again")
    text = text.replace('"16"', '"**4**"')

    found = lines(text)

    assert [line.split(":")[1] for line in found] == ["12", "13", "14", "20", "21", "22", "23"]


def test_a_slip_of_form_does_not_hide_the_other_slips_of_form(valid: str, lines):
    text = valid.replace("prompt: How", "prompt: Say: how").replace(
        "hint: Count", "hint: `x` Count"
    )
    text = text.replace("    difficulty", "\t difficulty").replace("Counting", "One: counting")

    found = lines(text)

    assert [line.split(":")[1] for line in found] == ["5", "14", "19", "20"]


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("version: 1\n", "", "the file needs `version`"),
        ("version: 1\n", "version: 2\n", "`version` must be 1; got '2'"),
        ("questions:", "question:", "`questions`: did you mean"),
        ("hint: Count", "hint: &h Count", "an anchor"),
        ("hint: Count before anything is sent.", "hint: *h", "a reference to another part"),
        ("hint: Count", "hint: !!python/object/apply:os.system Count", "a type tag"),
        ("hint: Count", "hint: ! Count", "a type tag"),
        ("answer: A", "[a, b]: A", "a key must be a word"),
        ("answer: A", "? {a: b}\n    : A", "a key must be a word"),
        ("answer: A", "<<: {answer: A}", "`<<` is unknown"),
        ("answer: A", "answer: [A]", "must be A, B, C or D; got a list of 1"),
        ("answer: A", "answer:", "must be A, B, C or D; got nothing"),
        ("answer: A", "answer: ' a'", "try 'A'"),
        ("hint: Count before anything is sent.", "hint: ''", "is empty"),
        ("hint: Count before anything is sent.", "hint: []", "`hint`"),
        ("hint: Count before anything is sent.", "hint: {a: b}", "must be a list"),
        ("hint: Count before anything is sent.", 'hint: "\\u200b\\u2060"', "is empty"),
        ("hint: Count", 'hint: "\\u202e', "never closed"),
        ("hint: Count before anything is sent.", 'hint: "a \\u202e b"', "RIGHT-TO-LEFT"),
        ("hint: Count before anything is sent.", 'hint: "a \\0 b"', "no reader can see"),
        ("hint: Count", "hint: a\x00 Count", "U+0000"),
        ("hint: Count", "hint: a\u2028 Count", "U+2028 LINE SEPARATOR"),
        ("hint: Count before", "hint: Count\t before", "a tab inside a text"),
        ("hint: Count", "hint: # Count", "everything after ` #`"),
        ("      - So there are four.", "      - So # there are four.", "everything after ` #`"),
        ("solution:", "solution: |", "`solution` of the question 'gradient-copies' must be a list"),
        ("- id: gradient-copies", "- id: Gradient copies", "small letters"),
        ("lesson: aggregate", "lesson: agregate", "'aggregate': did you mean"),
        ("lesson: aggregate", "lesson: aggregate\n    in_practice: null", "is empty"),
        ("lesson: aggregate", "lesson: aggregate\n    in_practice: ~", "is empty"),
        ("difficulty: easy", "difficulty: Easy", "`easy`: did you mean"),
        ('D: {text: "16"', 'd: {text: "16"', "try 'D'"),
        ('D: {text: "16"', 'E: {text: "16"', "options are called A, B, C and D; got 'E'"),
        ('{text: "16", feedback', "{feedback", "shows nothing"),
        (', feedback: "That is after the all-reduce."', "", "needs `feedback`"),
        ('"That is after the all-reduce."', '" "', "is empty"),
        ('"16"', "All of the above", "speaks of other options"),
        ('"16"', "Both A and B", "speaks of other options"),
        ('"16"', "None of these", "speaks of other options"),
        ('"16"', "'4.'", "options A and D look the same"),
        ('"16"', "\u200b4", "options A and D look the same"),
        ('"16"', "\uff14", "options A and D look the same"),
        ('"16"', "'`4`'", "options A and D look the same"),
        ('"16"', "<b>16</b>", "looks like an HTML tag"),
        ('"16"', "<script>x()</script>", "looks like an HTML tag"),
        ('"16"', "'$x$'", "would become a formula"),
        ('"16"', "':red[16]'", "would become an icon or a badge"),
        ('"16"', "__init__", "would lose its underlines"),
        ('"16"', "a*b*c", "would lose its stars"),
        ('"16"', "'# 16'", "would become a block"),
        ('"16"', "'[a](b)'", "would become a link"),
        ('"16"', "'![](//x.y/z.png)'", "would become a link or a picture"),
        ('"16"', "'`16'", "a backtick without its partner"),
        ("strategy = tf", "strategy == = tf", "code that is not Python"),
        ("version: 1", "sets: {further: {title: F}}\nversion: 1", "there is no set of `sets`"),
        ("version: 1", "sets: {practice: {title: F, shuffle: yes}}\nversion: 1", "true or false"),
        ("version: 1", "sets: {P: {title: F}}\nversion: 1", "a set's name must be"),
        ("version: 1", "---\nversion: 1\n---\nversion: 1", "a second document"),
        ("version: 1", "%YAML 3.0\n---\nversion: 1", "not readable as YAML"),
        ("questions:\n", "questions: {}\nother:\n", "must be a list"),
    ],
)
def test_a_slip_is_named(valid: str, lines, old: str, new: str, words: str):
    found = lines(valid.replace(old, new, 1))

    assert any(words in line for line in found), found
    assert all(LINE.fullmatch(line) for line in found), found


def test_code_that_does_not_parse_is_named_with_its_own_line(valid: str, lines):
    text = valid.replace(
        "      strategy = tf", "      import os\n      x = (1,)\n      strategy = = tf"
    )

    assert lines(text)[0].startswith("b.yaml:9:")


def test_letters_in_feedback_are_refused_only_where_options_change_places(valid: str, lines):
    text = valid.replace("Each replica has one.", "As in B, each replica has one.")
    shuffled = "sets: {practice: {title: P, shuffle: true}}\n" + text

    assert lines(text) == []
    assert len(lines(shuffled)) == 1
    assert "the options have changed places" in lines(shuffled)[0]
    assert lines("sets: {practice: {title: P, shuffle: true}}\n" + valid) == []


def test_options_that_differ_only_in_indentation_of_code_are_different(valid: str, lines):
    one = 'A: {code: "with s.scope():\\n    a()\\nb()", feedback: F}'
    two = 'B: {code: "with s.scope():\\n    a()\\n    b()", feedback: F}'
    text = re.sub(r"A: \{.*", lambda _: one, valid)
    text = re.sub(r"B: \{.*", lambda _: two, text)

    assert lines(text) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"# a comment\n\n" + text.encode() + b"\n\n# the end\n",
        lambda text: text.replace("difficulty: easy", "difficulty: easy  # agreed").encode(),
        lambda text: text.replace("hint: Count", "hint: >-\n      Batch # Count").encode(),
    ],
)
def test_harmless_differences_of_form_are_accepted(valid: str, lines, change):
    assert lines(change(valid)) == []


def test_form_does_not_change_what_an_attempt_is_pinned_to(valid: str):
    plain = examine_bytes(valid.encode()).bank
    other = examine_bytes(b"\xef\xbb\xbf# x\r\n" + valid.replace("\n", "\r\n").encode()).bank

    assert plain is not None
    assert other is not None
    assert plain.content_hash == other.content_hash


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\x03" * 5000,
        bytes(range(256)) * 40,
        "version: 1".encode("utf-16"),
        b"[" * 100_000,
        b"- " * 50_000,
        b"{a: " * 50_000,
        b"a: " * 100_000,
        b"? " * 50_000,
        b'"' + b"\\" * 99_999,
        b"&a [*a, *a]\n" * 1000,
        b"a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n",
        b"!!python/object/apply:os.system ['touch /tmp/owned']",
        b"%TAG ! tag:x,2000:\n---\n!x y",
        b"--- |\n" + b" x" * 100_000,
        b"x" * 2_000_000,
        b"a: 1\n" * 20_000,
        b"\n".join(b"k%d: v" % i for i in range(9_000)),
        b"- a\n" * 100_000,
        b"questions: [" + b"{}, " * 20_000 + b"]",
        b"questions:\n" + b"  - {id: a, prompt: '" + b"[" * 1900 + b"'}\n",
        b"questions:\n  - {id: a, code: '" + b"(" * 2900 + b"'}\n",
        b"questions:\n  - {id: a, code: '" + b"-" * 2900 + b"1'}\n",
        b"questions:\n  - {id: a, code: 'a" + b".b" * 1400 + b"'}\n",
        b"hello",
        b"[]",
        b"{}",
        b"---\n...\n",
        b"# only a comment",
        b"'\\ud800'",
        b'"\\ud800"',
        b'"\\U00110000"',
        b"\r\r\r",
        b"\t",
        b":",
        b"*a",
        b"\xff\xfe",
        b"\xed\xa0\x80",
    ],
)
@pytest.mark.parametrize("loader", LOADERS)
def test_hostile_bytes_get_lines_and_no_traceback(data: bytes, loader: type):
    if loader is yaml.BaseLoader and len(data) > 100_000:
        data = data[:100_000]

    found = examine_bytes(data, "b.yaml", loader=loader)

    lines = report("b.yaml", found.problems)
    assert found.bank is None
    assert 1 <= len(lines) <= 201
    assert all(LINE.fullmatch(line) for line in lines), lines[:3]


def test_what_is_no_file_is_a_problem_and_not_a_traceback(tmp_path: Path):
    for path in (tmp_path, tmp_path / "none.yaml", Path("/dev/zero"), "a\0b", "x" * 5000):
        with pytest.raises(BankError) as caught:
            load(path)
        assert LINE.fullmatch(str(caught.value))


def test_experiments_are_checked_against_the_names_handed_over(valid: str, tmp_path: Path):
    path = tmp_path / "b.yaml"
    path.write_text(
        valid.replace('"4", feedback', '"4", evidence: scope-unsed, feedback'), encoding="utf-8"
    )

    assert examine(path).problems == ()
    assert examine(path, known_experiments={"scope-unsed"}).problems == ()
    (problem,) = examine(path, known_experiments={"scope-unused"}).problems
    assert problem.sentence() == (
        "there is no experiment of this name; got 'scope-unsed'; "
        "try 'scope-unused': did you mean that?"
    )


def test_a_bank_cannot_be_changed_once_it_is_loaded(valid: str):
    bank = examine_bytes(valid.encode()).bank
    assert bank is not None

    with pytest.raises(ValueError):
        setattr(bank.questions[0], "answer", "B")  # noqa: B010 (mypy knows it is frozen)
