"""The words that differ are marked, from the first to the last of them."""

import pytest

from dimensions_site.administration.base.differences import marked


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Cash", "Petty cash", ("<del>Cash</del>", "<ins>Petty cash</ins>")),
        ("Cash in hand", "Cash at hand", ("Cash <del>in</del> hand", "Cash <ins>at</ins> hand")),
        ("Cash", "Cash, petty", ("Cash", "Cash<ins>, petty</ins>")),
        ("a a", "a a a", ("a a", "a a<ins> a</ins>")),
        ("Same", "Same", ("Same", "Same")),
        ("", "<b>", ("", "<ins>&lt;b&gt;</ins>")),
        ("a {} b", "a {} c", ("a {} <del>b</del>", "a {} <ins>c</ins>")),
    ],
)
def test_what_differs_is_marked(before: str, after: str, expected: tuple[str, str]) -> None:
    assert marked(before, after) == expected
