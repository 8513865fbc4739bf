"""The order of a question's options: drawn once for each attempt, then kept with it."""

from __future__ import annotations

import random

from quiz.model import LETTERS, Bank, Letter


def draw_orders(bank: Bank, set_name: str, seed: int) -> dict[str, tuple[Letter, ...]]:
    """For each question of the set the letters of the bank in the order they are shown.

    The same seed gives the same orders, and each question its own, whatever others there are.
    """
    orders: dict[str, tuple[Letter, ...]] = {}
    for question in bank.in_set(set_name):
        letters = list(LETTERS)
        if bank.set_info(set_name).shuffle:
            random.Random(f"{seed}:{question.id}").shuffle(letters)
        orders[question.id] = tuple(letters)
    return orders
