"""Settings: from text, to text, and a sentence for whatever they may not be."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import pytest

from pipeline.__main__ import parser
from pipeline.config import SETTINGS, ConfigError, RunConfig

OTHER = {
    "data": "my data/größe +1 & 2.csv",
    "replicas": 3,
    "global_batch": 255,
    "epochs": 12,
    "learning_rate": 1e-05,
    "optimizer": "sgd",
    "seed": 2**31 - 1,
    "order": "one-class-each",
    "combine": "never",
    "row": 41,
    "one_thread": True,
    "label": "kind & size = 1+1",
    "leave_out": "rows+columns",
}
"""For every setting a value that is not its default."""

WRONG = [
    ("data", "x" * 301, "a text of at most 300 characters"),
    ("data", 5, "a text of at most 300 characters"),
    ("replicas", "0", "a whole number from 1 to 8"),
    ("replicas", "9", "a whole number from 1 to 8"),
    ("replicas", "two", "a whole number from 1 to 8"),
    ("replicas", "", "a whole number from 1 to 8"),
    ("replicas", "2.5", "a whole number from 1 to 8"),
    ("global_batch", "0", "a whole number from 1 to 100,000"),
    ("global_batch", "100001", "a whole number from 1 to 100,000"),
    ("epochs", "-1", "a whole number from 1 to 1,000"),
    ("epochs", "1001", "a whole number from 1 to 1,000"),
    ("learning_rate", "0", "a number above 0 and at most 10"),
    ("learning_rate", "10.1", "a number above 0 and at most 10"),
    ("learning_rate", "nan", "a number above 0 and at most 10"),
    ("learning_rate", "inf", "a number above 0 and at most 10"),
    ("learning_rate", "fast", "a number above 0 and at most 10"),
    ("optimizer", "Adam", "one of adam, sgd"),
    ("seed", "-1", "a whole number from 0 to 2,147,483,647"),
    ("seed", str(2**31), "a whole number from 0 to 2,147,483,647"),
    ("order", "random", "one of shuffled, as-is, one-class-each"),
    ("combine", "sometimes", "one of step, epoch, never"),
    ("row", "-1", "a whole number from 0 to 10,000,000"),
    ("one_thread", "maybe", "true or false"),
    ("label", "x" * 201, "a text of at most 200 characters"),
    ("leave_out", "columns+rows", "one of nothing, rows, columns, rows+columns"),
]


def problem(values) -> str:
    with pytest.raises(ConfigError) as caught:
        RunConfig.checked(values)
    (sentence,) = caught.value.problems
    return sentence


def test_every_setting_has_another_value_in_these_tests():
    defaults = RunConfig()
    assert OTHER.keys() == SETTINGS.keys()
    assert all(OTHER[name] != getattr(defaults, name) for name in SETTINGS)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_goes_through_the_url_and_back(name):
    config = RunConfig.checked({name: OTHER[name]})
    url = urlencode(config.to_query())
    assert RunConfig.from_query(dict(parse_qsl(url, keep_blank_values=True))) == (config, ())


@pytest.mark.parametrize("name", SETTINGS)
def test_only_the_changed_setting_stands_in_the_url(name):
    assert RunConfig.checked({name: OTHER[name]}).to_query().keys() == {name}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_goes_through_the_command_line_and_back(name):
    setting = SETTINGS[name]
    words = [setting.flag] if setting.kind is bool else [f"{setting.flag}={OTHER[name]}"]
    options = vars(parser().parse_args(["run", *words]))
    given = {key: options[key] for key in SETTINGS if options[key] is not None}
    assert RunConfig.checked(given) == RunConfig.checked({name: OTHER[name]})


def test_all_settings_together_go_through_the_url_and_back():
    config = RunConfig.checked(OTHER)
    assert RunConfig.from_query(config.to_query()) == (config, ())


def test_a_config_goes_through_its_event_and_back():
    config = RunConfig.checked(OTHER)
    assert RunConfig.checked(config.model_dump()) == config


def test_the_defaults_need_no_url():
    assert RunConfig().to_query() == {}


@pytest.mark.parametrize("text", ["true", "True", "TRUE", "1"])
def test_a_switch_is_read_from_any_spelling_of_true(text):
    assert RunConfig.from_query({"one_thread": text}) == (RunConfig(one_thread=True), ())


@pytest.mark.parametrize("text", ["false", "False", "0"])
def test_a_switch_is_read_from_any_spelling_of_false(text):
    assert RunConfig.from_query({"one_thread": text}) == (RunConfig(), ())


@pytest.mark.parametrize("name, value, may_be", WRONG)
def test_a_wrong_value_is_told_in_one_sentence_with_setting_range_and_value(name, value, may_be):
    setting = SETTINGS[name]
    expected = f"{setting.title} ({setting.flag}) must be {may_be}; got {value!r}"
    assert problem({name: value}) == expected


def test_every_setting_has_a_wrong_value_in_these_tests():
    assert {name for name, _, _ in WRONG} == SETTINGS.keys()


@pytest.mark.parametrize("name", [n for n, setting in SETTINGS.items() if setting.kind is int])
def test_the_ends_of_a_range_are_inside(name):
    setting = SETTINGS[name]
    for end in (setting.low, setting.high):
        assert getattr(RunConfig.checked({name: end}), name) == end


def test_all_wrong_values_are_told_at_once():
    with pytest.raises(ConfigError) as caught:
        RunConfig.checked({"replicas": 0, "epochs": 0, "seed": -1})
    assert len(caught.value.problems) == 3
    assert str(caught.value).count("must be") == 3


def test_an_unknown_name_is_told_with_the_nearest_one():
    assert problem({"epoch": 3}) == "there is no setting 'epoch'; did you mean 'epochs'?"


def test_an_unknown_name_like_no_other_is_told_without_a_guess():
    assert problem({"zzz": 3}) == "there is no setting 'zzz'"


def test_a_query_keeps_its_good_values_and_tells_the_bad_ones():
    config, problems = RunConfig.from_query({"replicas": "99", "epochs": "3", "seed": "x"})
    assert config == RunConfig(epochs=3)
    assert [text.split(" (")[0] for text in problems] == ["Replicas", "Seed"]
    assert all(text.endswith("The default is used instead") for text in problems)


def test_a_query_may_hold_names_that_are_no_setting():
    assert RunConfig.from_query({"run": "abc", "epochs": "3"}) == (RunConfig(epochs=3), ())


def test_settings_that_differ_are_named_with_both_values():
    mine, theirs = RunConfig(replicas=4, seed=1), RunConfig(replicas=2, seed=1)
    assert mine.differs_from(theirs) == {"replicas": (4, 2)}
    assert theirs.differs_from(mine) == {"replicas": (2, 4)}


def test_equal_settings_do_not_differ():
    assert RunConfig.checked(OTHER).differs_from(RunConfig.checked(OTHER)) == {}


def test_a_config_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        RunConfig().epochs = 3  # type: ignore[misc]


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_has_words_for_people(name):
    assert SETTINGS[name].title
    assert SETTINGS[name].help
