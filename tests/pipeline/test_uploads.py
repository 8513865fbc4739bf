"""Learners' files: under an id that cannot be guessed, until they expire."""

from __future__ import annotations

import pytest

from pipeline.sources import Csv
from pipeline.uploads import UploadGone, Uploads, is_upload

FILE = Csv("grades.csv", b"a,label\n1,0\n")


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def uploads(tmp_path, clock):
    return Uploads(tmp_path / "uploads", hours=24, clock=clock)


def test_a_saved_file_comes_back_with_its_name(uploads):
    data = uploads.save(FILE)
    assert is_upload(data)
    assert uploads.open(data) == FILE
    assert uploads.name(data) == "grades.csv"


def test_the_same_file_twice_has_two_ids_of_eighty_random_bits(uploads):
    one, two = uploads.save(FILE), uploads.save(FILE)
    assert one != two
    assert len(one.removeprefix("upload:")) * 4 == 80


def test_a_link_to_an_expired_file_says_its_name_and_when_it_went(uploads, clock):
    data = uploads.save(FILE)
    clock.now += 25 * 3600
    with pytest.raises(UploadGone, match=r"grades\.csv .* was deleted on 13 January 1970"):
        uploads.open(data)


def test_expired_bytes_are_deleted_at_the_next_upload(uploads, clock, tmp_path):
    data = uploads.save(FILE)
    clock.now += 25 * 3600
    uploads.save(FILE)
    assert len(list((tmp_path / "uploads").glob("*/file.csv"))) == 1
    with pytest.raises(UploadGone, match="was deleted on"):
        uploads.open(data)


def test_the_oldest_files_make_room_for_new_ones_and_say_when_they_went(tmp_path, clock):
    uploads = Uploads(tmp_path / "uploads", hours=24, megabytes=0.003, clock=clock)
    kept = []
    for number in range(5):
        clock.now += 60
        kept.append(uploads.save(Csv(f"{number}.csv", b"x" * 1_000)))
    assert [uploads.name(data) for data in kept[2:]] == ["2.csv", "3.csv", "4.csv"]
    for data in kept[:2]:
        with pytest.raises(UploadGone, match="was deleted on 12 January 1970"):
            uploads.open(data)
    assert len(list((tmp_path / "uploads").glob("*/file.csv"))) == 3


def test_a_clock_that_is_set_back_takes_no_file_away(uploads, clock):
    data = uploads.save(FILE)
    clock.now -= 365 * 24 * 3600
    later = uploads.save(FILE)
    assert uploads.open(data) == uploads.open(later) == FILE


@pytest.mark.parametrize("data", ["upload:", "upload:../../etc", "upload:0", "upload:" + "0" * 20])
def test_a_name_that_is_no_upload_is_gone_and_never_a_path(uploads, data):
    with pytest.raises(UploadGone):
        uploads.open(data)
