"""Where the replicas live, as TensorFlow itself sees it."""

from __future__ import annotations


def test_each_replica_has_a_listed_device_of_its_own(observed):
    seen = observed("devices")
    assert seen["names"] == ["CPU:0", "CPU:1", "CPU:2"]
    assert [f"/device:{name}" for name in seen["names"]] == seen["listed"]


def test_each_copy_of_a_variable_lives_on_its_replicas_device(observed):
    seen = observed("devices")
    assert [home.rpartition("device:")[2] for home in seen["homes"]] == seen["names"]
    assert seen["in_sync"] == 3


def test_the_note_says_that_logical_devices_give_no_speed_up(observed):
    note = observed("devices")["note"]
    assert "3 replicas on 3 logical CPU devices" in note
    assert "no speed-up" in note


def test_one_thread_per_device_is_set_before_tensorflow_begins(observed):
    assert observed("one-thread")["intra"] == 1
