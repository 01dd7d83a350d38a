"""Comparing text without regard to case, the same in Python, SQLite and PostgreSQL."""


def fold(text: str) -> str:
    """The form in which texts that differ by case alone are equal: upper case of lower case (contract D2).

    Both steps are needed: the Kelvin sign meets `k` in lower case, the two small sigmas meet in upper case.
    Python's mappings and those of ICU agree on every code point that both know, which `str.casefold` does not.
    """
    return text.lower().upper()
