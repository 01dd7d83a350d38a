"""The messages for a filter that cannot be read."""

import pytest

from tests.dimensions_site.rsql.refusals import error_of


@pytest.mark.contract("D1", "B1")
@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 1, "the filter ends where a field name or '(' is expected"),
        ("  ", 3, "the filter ends where a field name or '(' is expected"),
        ("code", 5, "the filter ends where an operator is expected (== != =in="),
        ("code=A", 5, "there is '=' where an operator is expected"),
        ("code~A", 5, "there is '~' where an operator is expected"),
        ("code==", 7, "the filter ends where a value is expected"),
        ("code!==A", 7, "there is '=' where a value is expected"),
        ("code=in=()", 10, "there is ')' where a value is expected"),
        ("code=in=(A", 11, "the filter ends where ',' or ')' is expected"),
        ("code=in=(A;B)", 11, "there is ';' where ',' or ')' is expected"),
        ("code=='A", 7, "the quote that opens here is never closed"),
        (r'code=="A\"', 7, "the quote that opens here is never closed"),
        ("code==A;;code==B", 9, "there is ';' where a field name or '(' is expected"),
        ("code==A)", 8, "there is ')' where ';' or ' and ', ',' or ' or ', or the end is expected"),
        ("code==A B", 9, "there is 'B' where ';' or ' and ', ',' or ' or ', or the end is expected"),
        ("code==A 'B", 9, "there is ''' where ';' or ' and ', ',' or ' or ', or the end is expected"),
        ("(code==A 'B", 10, "there is ''' where ';' or ' and ', ',' or ' or ', or ')' is expected"),
        ("(code==A", 9, "the filter ends where ';' or ' and ', ',' or ' or ', or ')' is expected"),
        ("code==A AND code==B", 9, "there is 'AND', which must be in lower case, with a space on each side and"),
        ("code==A and", 9, "there is 'and', which must be in lower case, with a space on each side and"),
        ("code==A and ", 13, "the filter ends where a field name or '(' is expected"),
        ("code==A and(code==B)", 9, "there is 'and', which must be in lower case, with a space on each side and"),
        ("(code==A)or(code==B)", 10, "there is 'or', which must be in lower case, with a space on each side and"),
        ("'code'==A", 1, "there is ''' where a field name or '(' is expected"),
    ],
)
def test_the_message_says_where_what_was_found_and_what_was_expected(text: str, position: int, words: str) -> None:
    """In words: no name of a terminal, no line and column, no list of regular expressions."""
    error = error_of(text)

    assert error.message.startswith(f"The filter cannot be read at character {position}: {words}")
    assert (error.code, error.position) == ("SYNTAX", position)


@pytest.mark.contract("D1")
def test_a_value_with_blanks_brings_the_advice_to_quote_it() -> None:
    """The most common slip of all."""
    error = error_of("descriptions.en==Trade receivables")

    assert "there is 'receivables'" in error.message
    assert error.message.endswith("A value that contains a space or one of \"'();,=!~<> needs quotes.")


@pytest.mark.contract("D1")
@pytest.mark.parametrize("operator", ["=eq=", "=LIKE=", "=isNull=", "=notin="])
def test_an_unknown_operator_is_named_with_the_known_ones(operator: str) -> None:
    """Operators are lower case, as in the grammar's project."""
    error = error_of(f"code{operator}A")

    assert error.message.startswith(f"Unknown operator '{operator}' at character 5. Use one of == != =in= =out=")
    assert (error.code, error.position) == ("UNKNOWN_OPERATOR", 5)


@pytest.mark.contract("D1", "B3")
@pytest.mark.parametrize("template", ["{}a==1", "a=={}", "a=={}1", "a{}==1", "a==1{}", "a==1{}b", "a=='x'{};b==1"])
@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\n", "a line break"),
        ("\r", "a line break"),
        ("\x1b", "the character U+001B"),
        ("\x7f", "the character U+007F"),
        ("\x85", "the character U+0085"),
    ],
)
def test_control_characters_are_refused_outside_of_quotes(template: str, character: str, name: str) -> None:
    """The tab is white space there; people who read the filter would overlook the others."""
    error = error_of(template.format(character))

    position = template.index("{") + 1
    place = f"The filter cannot be read at character {position}"
    assert error.message == f"{place}: there is {name}, which is allowed between quotes only."
    assert (error.code, error.position) == ("SYNTAX", position)


@pytest.mark.contract("D1", "B3")
@pytest.mark.parametrize("template", ["a=={}", "a=='x{}'", "a{}==1", "a==1{}", 'a=in=("\\{}")'])
@pytest.mark.parametrize(("character", "name"), [("\0", "the character NUL"), ("\ud800", "the character U+D800")])
def test_what_no_database_stores_is_refused_everywhere(template: str, character: str, name: str) -> None:
    """Inside and outside of quotes: PostgreSQL could not even search for it."""
    error = error_of(template.format(character))

    position = template.index("{") + 1
    assert error.message == f"The filter has {name} at character {position}."
    assert (error.code, error.position) == ("SYNTAX", position)


def test_a_long_word_is_quoted_in_part() -> None:
    """A message stays readable whatever was sent."""
    error = error_of("code==A " + "x" * 4000)

    assert len(error.message) < 300
    assert "xxx…'" in error.message
