"""What was kept on disk and cannot be read any more."""


class Damaged(ValueError):
    """A file of a run was changed, cut or overwritten: says which, where, and what stands there."""
