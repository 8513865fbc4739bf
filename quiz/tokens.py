"""Secrets a learner holds: the cookie that owns their attempts, and the code for another device.

Neither is kept. The database has only what they hash to, so that whoever reads it cannot become
a learner. A code is ten characters without look-alikes, 50 bits: written down, typed, not guessed.
"""

from __future__ import annotations

import hashlib
import secrets

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
_LENGTH = 10
_TWINS = str.maketrans({"O": "0", "I": "1", "L": "1", "-": "", " ": "", "\u2013": ""})


def new_code() -> str:
    """A code to resume with, in two groups: 7K2MQ-D40XZ."""
    code = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    return f"{code[:5]}-{code[5:]}"


def read_code(typed: str) -> str | None:
    """The code a learner typed, however they spaced it; None when it cannot be one."""
    code = typed[:40].strip().upper().translate(_TWINS)
    good = len(code) == _LENGTH and set(code) <= set(_ALPHABET)
    return code if good else None


def hash_token(token: str) -> str:
    """What is kept of a cookie: it is long and random, so one round is enough."""
    return hashlib.sha256(b"lockstep cookie\0" + token.encode("utf-8", "replace")).hexdigest()


def hash_code(code: str) -> str:
    """What is kept of a code: shorter, so each guess is made expensive (about 10 ms)."""
    plain = (read_code(code) or "").encode()
    return hashlib.scrypt(plain, salt=b"lockstep code", n=2**12, r=8, p=1, dklen=32).hex()
