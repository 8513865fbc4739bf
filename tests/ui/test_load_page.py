"""Load and Normalise as a learner uses them: any table, a file of one's own, a row to follow.

The real pages under Streamlit's AppTest; only the launcher is a fake, so no TensorFlow starts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pipeline import datasets, distribute, preprocess
from pipeline.csv_data import CsvOptions, DataError, read_csv
from pipeline.sources import Csv
from ui import data_choice, keys, services

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/cases/data"
REFUSED = sorted(
    {path.name for path in CASES.glob("*.csv")}
    - {
        "good.csv",
        "bom_crlf.csv",
        "constant_column.csv",
        "semicolon_decimal_comma.csv",
        "three_class_words.csv",
        "three_rows.csv",
        "utf16.csv",
    }
)


class NoTrainer:
    """A launcher that never starts anything."""

    def open(self, on_exit):
        pass

    def launch(self, folder):
        raise AssertionError("these pages start no run")

    def kill(self, folder):
        pass

    def close(self):
        pass


@pytest.fixture
def limits():
    """What the server of this test allows, as environment variables."""
    return {}


@pytest.fixture(autouse=True)
def server(tmp_path, monkeypatch, limits):
    monkeypatch.setenv("LOCKSTEP_DATA", str(tmp_path))
    for name, value in limits.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(services, "default_launcher", lambda *_: NoTrainer())
    cached = (services.runs, services.uploads, services.answers, services.feed)
    for made in (*cached, data_choice._load_upload, data_choice._columns):
        made.cache_clear()
    yield
    services.runs().close()
    for made in cached:
        made.cache_clear()


def opened(page="load", **query):
    app = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = str(value)
    app.switch_page(f"{page}.py").run()
    assert not app.exception
    return app


def text(app):
    found = [element.value for kind in (app.markdown, app.warning) for element in kind]
    found += [element.proto.body for element in app.get("html")]  # texts with marked terms
    return "\n".join(found).replace("\\", "")


def problems(app):
    """What the page says is wrong with the file in hand."""
    shown = [node.proto.body for node in app.get("html") if 'class="problems"' in node.proto.body]
    return shown[0] if shown else ""


def upload(app, name, raw=None):
    raw = (CASES / name).read_bytes() if raw is None else raw
    app.get("file_uploader")[0].set_value((name, raw, "text/csv")).run()
    assert not app.exception
    return app


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception
    return app


def whole_text(page="load", **query):
    return text(opened(page, **query))


@pytest.mark.parametrize(
    "data, replicas",
    [("synthetic", 1), ("synthetic", 2), ("digits", 3), ("breast-cancer", 8)],
)
def test_the_sizes_in_the_question_are_those_of_the_rows_that_are_sent(data, replicas):
    app = opened(data=data, replicas=replicas, global_batch=100)
    table = datasets.load(data).x_train
    share = distribute.shares(100, replicas)[0]
    options = app.radio(key=keys.prediction("load")).options
    assert f"its {share} row" in options[2]
    told, unit = options[2].split(",")[0].split()
    sent = float(told) * {"bytes": 1, "kB": 1e3}[unit]
    assert sent == pytest.approx(table[:share].nbytes, rel=0.005)
    assert len(set(options)) == 3


def test_one_batch_that_takes_the_whole_table_is_told_instead_of_asked():
    app = opened(data="breast-cancer", global_batch=455)
    assert not [radio for radio in app.radio if radio.key == keys.prediction("load")]
    assert "every step sends all of it" in text(app)


@pytest.mark.parametrize("data", datasets.BUILT_IN)
def test_your_row_has_the_same_values_on_both_pages(data):
    row = datasets.load(data).x_train[7]
    scaled = preprocess.fit(datasets.load(data).x_train).apply(row)
    as_loaded = f"[{row[0]:.4g}, {row[1]:.4g}, {row[2]:.4g}, ..., {row[-1]:.4g}]"
    now = f"[{scaled[0]:.4g}, {scaled[1]:.4g}, {scaled[2]:.4g}, ..., {scaled[-1]:.4g}]"
    app = opened(data=data, row=7)
    assert as_loaded in text(app)
    app.switch_page("normalise.py").run()
    assert as_loaded in text(app)
    assert now in text(app)


def test_another_row_can_be_picked_on_the_page():
    app = press(opened(row=3), keys.NEXT_ROW)
    assert app.session_state["row"] == 4
    press(app, keys.PREVIOUS_ROW)
    assert app.session_state["row"] == 3
    press(app, keys.ANOTHER_ROW)
    assert app.session_state["row"] != 3
    assert 0 <= app.session_state["row"] < 10_000


def test_the_first_row_has_no_previous_and_the_last_no_next():
    assert opened(row=0).button(key=keys.PREVIOUS_ROW).disabled
    assert opened(row=9_999).button(key=keys.NEXT_ROW).disabled
    assert opened(row=1_000_000).button(key=keys.NEXT_ROW).disabled


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_says_all_its_reasons_and_changes_nothing(name):
    with pytest.raises(DataError) as caught:
        read_csv((CASES / name).read_bytes(), name)
    app = upload(opened(data="digits", row=5), name)
    for problem in caught.value.problems:
        assert problem in problems(app)
    assert app.session_state["data"] == "digits"
    assert "1,438 rows for training" in text(app)


def test_what_is_wrong_with_a_file_stays_on_the_page_until_another_one_comes():
    app = upload(opened(), "ragged.csv")
    app.switch_page("normalise.py").run()
    app.switch_page("load.py").run()
    assert "Row 7 has 3 values" in problems(app)
    upload(app, "good.csv")
    assert problems(app) == ""
    assert app.session_state["data"].startswith("upload:")


@pytest.mark.parametrize("name", ["missing_values.csv", "infinite.csv", "text_column.csv"])
def test_what_is_offered_to_be_left_out_can_be_left_out_in_the_page(name):
    app = press(upload(opened(), name), keys.LEAVE_THEM_OUT)
    assert problems(app) == ""
    out = app.session_state["leave_out"]
    expected = read_csv((CASES / name).read_bytes(), name, CsvOptions(leave_out=frozenset({out})))
    assert f"{len(expected.x_train)} rows for training" in text(app)
    for note in expected.notes:
        assert note in text(app)


def test_rows_and_columns_are_left_out_together():
    lines = [f"{n},{'red' if n % 2 else 'blue'},{n if n != 3 else ''},{n % 2}" for n in range(12)]
    raw = "\n".join(["a,b,c,label", *lines]).encode()
    app = press(upload(opened(), "both.csv", raw), keys.LEAVE_THEM_OUT)
    assert app.session_state["leave_out"] == "rows+columns"
    assert problems(app) == ""


def test_another_label_column_is_chosen_in_the_page_and_a_bad_choice_changes_nothing():
    lines = [f"{n / 10},{n % 3},{n % 2}" for n in range(40)]
    raw = "\n".join(["size,kind,label", *lines]).encode()
    app = upload(opened(), "mine.csv", raw)
    assert "with 2 classes" in text(app)
    app.selectbox(key=keys.UPLOAD_LABEL).select("kind").run()
    assert app.session_state["label"] == "kind"
    assert "with 3 classes" in text(app)
    app.selectbox(key=keys.UPLOAD_LABEL).select("size").run()
    assert "40 different values" in problems(app)
    assert app.session_state["label"] == "kind"
    assert "with 3 classes" in text(app)
    press(app, keys.FORGET_FILE)
    assert problems(app) == ""
    assert app.selectbox(key=keys.UPLOAD_LABEL).value == "kind"
    app.selectbox(key=keys.UPLOAD_LABEL).select("label").run()
    assert app.session_state["label"] == "", "the last column is what no choice means"


def test_the_file_stays_in_the_list_when_another_data_set_is_looked_at():
    app = press(upload(opened(), "missing_values.csv"), keys.LEAVE_THEM_OUT)
    mine = app.session_state["data"]
    app.selectbox(key=keys.DATA_CHOICE).select("digits").run()
    assert app.session_state["leave_out"] == "nothing"
    assert "missing_values.csv" in app.selectbox(key=keys.DATA_CHOICE).options
    app.selectbox(key=keys.DATA_CHOICE).select(mine).run()
    assert (app.session_state["data"], app.session_state["leave_out"]) == (mine, "rows")
    assert not app.warning


def test_a_link_to_a_file_opens_it_as_it_was_read():
    data = services.uploads().save(Csv("w.csv", (CASES / "missing_values.csv").read_bytes()))
    app = opened(data=data, leave_out="rows", row=2)
    assert "30 rows for training" in text(app)
    assert app.selectbox(key=keys.DATA_CHOICE).value == data
    assert "w.csv" in app.selectbox(key=keys.DATA_CHOICE).options


@pytest.mark.parametrize(
    "data, said",
    [("upload:" + "0" * 20, "not here any more"), ("digitz", "Did you mean digits?")],
)
def test_a_link_to_data_that_is_not_there_says_so_on_every_visit(data, said):
    app = opened(data=data)
    assert said in text(app)
    assert "10,000 rows for training" in text(app)
    app.switch_page("normalise.py").run()
    assert said in text(app)


def test_a_link_with_an_impossible_reading_is_told_and_does_not_break_the_page():
    data = services.uploads().save(Csv("w.csv", (CASES / "good.csv").read_bytes()))
    app = opened(data=data, leave_out="everything")
    assert "cannot be used" in text(app)
    assert "51 rows for training" in text(app)
    assert "no column called nowhere" in whole_text(data=data, label="nowhere")


@pytest.mark.parametrize("replicas", [1, 8])
@pytest.mark.parametrize("page", ["load", "normalise"])
def test_three_rows_are_enough(page, replicas):
    data = services.uploads().save(Csv("3.csv", (CASES / "three_rows.csv").read_bytes()))
    app = opened(page, data=data, replicas=replicas, row=2)
    assert "[5, 5, 1, 1]" in text(app)


@pytest.mark.parametrize("page", ["load", "normalise"])
def test_a_wide_table_is_drawn_in_part_and_a_constant_one_in_full(page):
    names = ",".join(f"c{n}" for n in range(499))
    rng = np.random.default_rng(1)
    lines = [",".join(f"{v:.3g}" for v in rng.normal(size=499)) + f",{n % 2}" for n in range(20)]
    raw = "\n".join([f"{names},label", *lines]).encode()
    data = services.uploads().save(Csv("wide.csv", raw))
    assert "24 of the 499 columns" in whole_text(page, data=data)
    raw = "\n".join(["a,b,label", *["7,0,x", "7,0,y"] * 10]).encode()
    data = services.uploads().save(Csv("flat.csv", raw))
    assert "24 of" not in whole_text(page, data=data)


def test_the_value_beyond_the_range_lands_where_the_same_scaling_puts_it():
    app = opened("normalise", data="synthetic")
    asked = app.radio(key=keys.prediction("normalise"))
    assert "from 0 to 10" in asked.label
    assert "has 11 there" in asked.label
    assert asked.options == ["1", "an error", "1.1"]


def test_the_formula_reads_well_with_a_negative_lowest_value():
    raw = b"a,label\n" + b"-2,0\n0,1\n2,0\n" * 2
    data = services.uploads().save(Csv("minus.csv", raw))
    shown = whole_text("normalise", data=data, row=1)
    assert "a of your row: (0 − (−2)) / (2 − (−2)) = **0.5**" in shown


def test_constant_columns_are_named():
    assert "every row: pixel_0_0, pixel_4_0, pixel_4_7" in whole_text("normalise", data="digits")


class TestASmallServer:
    """Limits that are set for a server, refused with a sentence."""

    @pytest.fixture
    def limits(self):
        return {
            "LOCKSTEP_UPLOAD_MEGABYTES": "0.002",
            "LOCKSTEP_ROWS": "40",
            "LOCKSTEP_COLUMNS": "6",
        }

    @pytest.mark.parametrize(
        "raw, said",
        [
            (b"a,label\n" + b"1.00,0\n" * 400, "more than the 0.002 MB allowed"),
            (b"a,label\n" + b"1,0\n" * 41, "more than the 40 rows allowed"),
            (b"a,b,c,d,e,f,label\n" + b"1,1,1,1,1,1,0\n" * 9, "more than the 6 allowed"),
        ],
    )
    def test_a_file_beyond_a_limit_is_refused_and_the_page_names_the_limits(self, raw, said):
        app = upload(opened(), "mine.csv", raw)
        assert said in problems(app)
        assert app.session_state["data"] == "synthetic"
        assert "At most 0.002 MB, 40 rows and 6 columns" in text(app)

    def test_a_file_that_is_too_large_is_not_kept(self, tmp_path):
        upload(opened(), "mine.csv", b"a,label\n" + b"1.00,0\n" * 400)
        assert not list(tmp_path.glob("uploads/*"))


def test_hostile_names_are_shown_and_never_become_markup():
    names = ["*a*", "$b$", ":red[c]", "<b>d</b>", "`e`", "[f](http://x)", "kind_"]
    lines = [f"{n},1,{n},2,{n},3,{'_x_' if n % 2 else '<i>'}" for n in range(12)]
    raw = "\n".join([",".join(names), *lines]).encode()
    app = upload(opened(), "my_*file*.csv", raw)
    for element in app.markdown:
        assert "<b>" not in element.value
        assert "my_*file*" not in element.value
    assert "my\\_\\*file\\*\\.csv" in "\n".join(element.value for element in app.markdown)
    tables = "".join(node.proto.body for node in app.get("html"))
    assert "&lt;b&gt;d&lt;/b&gt;" in tables
    assert "<b>d" not in tables
