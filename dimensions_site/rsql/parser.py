"""Parse the text of a filter into its syntax tree, and write it back (contract D1; design/filter.md)."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import cast

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from dimensions_site.rsql.errors import NOT_STORABLE, QUOTED, REFUSED_UNQUOTED, RsqlError, character_name, refuse
from dimensions_site.rsql.operators import BY_SYMBOL, OPERATORS, Operator, operators_text
from dimensions_site.text.formats import grouped_number, shortened


@dataclass(frozen=True)
class Comparison:
    """One condition, such as `type==NORMAL`, with its values unescaped but not yet converted.

    `position` is the character at which the selector starts, counted from 1.
    """

    selector: str
    operator: Operator
    values: tuple[str, ...]
    position: int = field(compare=False)


@dataclass(frozen=True)
class And:
    """The conjunction of two or more children."""

    children: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    """The disjunction of two or more children."""

    children: tuple["Node", ...]


Node = And | Or | Comparison


# What the parser expects, by the first of these terminals that it would accept.
_EXPECTED = {
    "QUOTED": gettext_lazy("a value is expected"),
    "OPERATOR": gettext_lazy("an operator is expected ({operators})"),
    "WORD": gettext_lazy("a field name or '(' is expected"),
}
_QUOTING = gettext_lazy("A value that contains a space or one of \"'();,=!~<> needs quotes.")

# What other languages write, by what clients are asked to write instead.
_FOREIGN = (
    (re.compile(r"[|&][^\s'\"()=!<>|&]*[=!<>]?\Z"), gettext_lazy("Write ';' for 'and', ',' for 'or'.")),
    (re.compile(r"<>\Z"), gettext_lazy("Write '!=' for 'not equal'.")),
    (re.compile(r"[^=!<>;,(\s]\s*=(==)?\Z"), gettext_lazy("Write '==' for 'equal'.")),
)

_WORD = re.compile(r"[^\"'();,=!~<> \x00-\x1f\x7f-\x9f]+|.", re.DOTALL)


def syntax_error(text: str, start: int, terminals: Collection[str], *, in_group: bool) -> RsqlError:
    """Return the error for a filter `text` that is invalid at index `start`.

    `terminals` are the grammar's terminals allowed there; `in_group` says that a parenthesis is open.
    """
    word = _WORD.match(text, start)
    if word is not None and REFUSED_UNQUOTED.match(word[0]):
        what = _("there is {character}, which is allowed between quotes only.")
        return _error(what.format(character=character_name(word[0])), start)
    if word is None:
        found = _("the filter ends")
    elif word[0] in "\"'" and "QUOTED" in terminals:
        return _error(_("the quote that opens here is never closed."), start)
    else:
        found = _("there is '{word}'").format(word=shortened(word[0], QUOTED))
    hint = _hint(text, start if word is None else word.end())
    for terminal, expected in _EXPECTED.items():
        if terminal in terminals:
            needs = str(expected).format(operators=operators_text(OPERATORS))
            return _error(_("{found} where {expected}.").format(found=found, expected=needs) + hint, start)
    if "SEMICOLON" not in terminals and "COMMA" in terminals:
        what = _("{found} where ',' or ')' is expected.")
    elif word is not None and word[0].lower() in {"and", "or"}:
        what = _("{found}, which must be in lower case, with a space on each side and a condition after it.")
    else:
        what = _("{found} where ';' or ' and ', ',' or ' or ', or {end} is expected.")
    what = what.format(found=found, end="')'" if in_group else _("the end"))
    return _error(f"{what} {_QUOTING}{hint}", start)


def _hint(text: str, end: int) -> str:
    """Return the advice for an operator of another language that ends at the index `end`; an empty text for none."""
    return next((f" {advice}" for pattern, advice in _FOREIGN if pattern.search(text, 0, end)), "")


def _error(what: str, start: int) -> RsqlError:
    position = start + 1
    message = _("The filter cannot be read at character {position}: {what}").format(position=position, what=what)
    return RsqlError(message, code="SYNTAX", position=position)


# The limits of one filter: far more than people write, and far less than a database rejects (contract D4).
MAX_FILTER_LENGTH = 4096
MAX_CONDITIONS = 50
MAX_FILTER_DEPTH = 20
MAX_VALUES = 100


def check_length(text: str) -> None:
    """Raise RsqlError TOO_LONG for a filter `text` beyond the limit."""
    if len(text) > MAX_FILTER_LENGTH:
        message = _("{name} is {length} characters long; the limit is {maximum}.").format(
            name=_("filter"), length=grouped_number(len(text)), maximum=grouped_number(MAX_FILTER_LENGTH)
        )
        raise RsqlError(message, code="TOO_LONG", position=MAX_FILTER_LENGTH + 1)


class TokenCounter:
    """Counts the tokens of a filter during parsing, so that parsing stops at the first one beyond a limit."""

    def __init__(self) -> None:
        self.conditions = 0
        self.values = 0
        self.depth = 0
        self.in_list = False
        self._after_operator = False

    def count(self, token: Token) -> None:
        """Count the next token; raises RsqlError TOO_MANY or TOO_DEEP beyond a limit."""
        if token.type == "OPERATOR":
            self.conditions += 1
            self.values = 0
        elif token.type == "LPAR":
            self.in_list = self._after_operator
            self.depth += not self.in_list
        elif token.type == "RPAR":
            self.depth -= not self.in_list
            self.in_list = False
        elif self.in_list and token.type in ("WORD", "QUOTED"):
            self.values += 1
        self._after_operator = token.type == "OPERATOR"
        self._check(token)

    def _check(self, token: Token) -> None:
        position = cast(int, token.start_pos) + 1
        if self.depth > MAX_FILTER_DEPTH:
            message = _("filter nests parentheses more than {maximum} deep at character {position}.")
            raise RsqlError(
                message.format(maximum=MAX_FILTER_DEPTH, position=position), code="TOO_DEEP", position=position
            )
        for number, limit, what in (
            (self.conditions, MAX_CONDITIONS, _("conditions")),
            (self.values, MAX_VALUES, _("values in one list")),
        ):
            if number > limit:
                message = _("filter has more than {maximum} {what}; the limit is reached at character {position}.")
                text = message.format(maximum=limit, what=what, position=position)
                raise RsqlError(text, code="TOO_MANY", position=position)


class _TreeBuilder(Transformer[Token, Node]):
    def disjunction(self, children: list[Node]) -> Node:
        return Or(tuple(children))

    def conjunction(self, children: list[Node]) -> Node:
        return And(tuple(children))

    def comparison(self, tokens: list[Token]) -> Node:
        selector, symbol, *values = tokens
        return Comparison(str(selector), BY_SYMBOL[symbol], tuple(map(_unquoted, values)), _index(selector) + 1)


_LARK = Lark.open("grammar.lark", rel_to=__file__, parser="lalr", start="disjunction", transformer=_TreeBuilder())


def parse(text: str) -> Node:
    """Return the syntax tree of a non-empty filter.

    Raises RsqlError with a position and one of the codes SYNTAX, UNKNOWN_OPERATOR, TOO_LONG, TOO_DEEP, TOO_MANY.
    """
    check_length(text)
    refuse(NOT_STORABLE, text, _("filter"))
    parser = _LARK.parse_interactive(text)
    counter = TokenCounter()
    try:
        for token in parser.iter_parse():
            counter.count(token)
            if token.type == "OPERATOR" and token not in BY_SYMBOL:
                raise _unknown_operator(token)
        return cast(Node, parser.feed_token(Token("$END", "", start_pos=len(text))))
    except UnexpectedToken as error:
        raise syntax_error(text, _index(error.token), error.expected, in_group=counter.depth > 0) from None
    except UnexpectedCharacters as error:
        raise syntax_error(text, cast(int, error.pos_in_stream), error.allowed, in_group=counter.depth > 0) from None


def _index(token: Token) -> int:
    return cast(int, token.start_pos)


def _unquoted(token: Token) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL) if token.type == "QUOTED" else str(token)


def _unknown_operator(token: Token) -> RsqlError:
    position = _index(token) + 1
    message = _("Unknown operator '{operator}' at character {position}. Use one of {operators}.").format(
        operator=shortened(token, QUOTED), position=position, operators=operators_text(OPERATORS)
    )
    return RsqlError(message, code="UNKNOWN_OPERATOR", position=position)


# As the terminal WORD of the grammar.
_UNQUOTED = re.compile("[^\"'();,=!~<> \x00-\x1f\x7f-\x9f]+")


def write(node: Node) -> str:
    """Return a text that `parse` reads as `node`."""
    if isinstance(node, Comparison):
        return _comparison(node)
    connector = ";" if isinstance(node, And) else ","
    return connector.join(
        write(child) if isinstance(child, Comparison) else f"({write(child)})" for child in node.children
    )


def can_select(path: str) -> bool:
    """Return whether a filter can name the field at `path`: an entry of a map may have blanks and signs in its key."""
    return _UNQUOTED.fullmatch(path) is not None


def _comparison(node: Comparison) -> str:
    values = [_value(value) for value in node.values]
    text = f"({','.join(values)})" if node.operator.takes_list or len(values) > 1 else values[0]
    return f"{node.selector}{node.operator}{text}"


def _value(text: str) -> str:
    if _UNQUOTED.fullmatch(text):
        return text
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text)
    return f'"{escaped}"'
