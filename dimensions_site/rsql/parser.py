"""From the text of a filter to its tree (contract D1)."""

import re
from typing import cast

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from dimensions_site.rsql.characters import refuse_control_characters
from dimensions_site.rsql.errors import RsqlError, shortened
from dimensions_site.rsql.limits import TokenCounter, check_length
from dimensions_site.rsql.nodes import And, Comparison, Node, Or
from dimensions_site.rsql.operators import BY_SYMBOL, OPERATORS, listed
from dimensions_site.rsql.syntax_errors import syntax_error


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
    """The tree of a filter, which must not be empty.

    Raises RsqlError with a position and one of the codes SYNTAX, UNKNOWN_OPERATOR, TOO_LONG, TOO_DEEP, TOO_MANY.
    """
    check_length(text)
    refuse_control_characters(text, "filter")
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
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.type == "QUOTED" else str(token)


def _unknown_operator(token: Token) -> RsqlError:
    position = _index(token) + 1
    message = f"There is no operator '{shortened(token)}' (character {position}). There are {listed(OPERATORS)}."
    return RsqlError(message, code="UNKNOWN_OPERATOR", position=position)
