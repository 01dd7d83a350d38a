"""Filters as people write them: the way back from the tree to a text."""

import re
from random import Random

from dimensions_site.rsql.parser import And, Comparison, Node, Or

_UNQUOTED = re.compile("[^\"'();,=!~<>\\s\x00-\x1f\x7f-\x9f]+")


def write(node: Node, style: Random) -> str:
    """One of the texts that mean `node`: `style` chooses spellings, quotes, blanks and redundant parentheses."""
    match node:
        case Comparison():
            text = _write_comparison(node, style)
        case And():
            text = _join(node.children, (";", " and ", "\t and\t", " ; "), style)
        case Or():
            text = _join(node.children, (",", " or ", " or\t ", " , "), style)
    return f"({text})" if style.random() < 0.1 else text


def _join(children: tuple[Node, ...], connectors: tuple[str, ...], style: Random) -> str:
    text = ""
    for child in children:
        written = write(child, style)
        text += style.choice(connectors) if text else ""
        text += written if isinstance(child, Comparison) else f"({written})"
    return text


def _write_comparison(node: Comparison, style: Random) -> str:
    values = [_write_value(value, style) for value in node.values]
    alone = len(values) == 1 and style.random() < 0.8
    written = values[0] if alone else f"({style.choice((',', ' , ')).join(values)})"
    blank = style.choice(("", "", " ", "\t"))
    return f"{node.selector}{blank}{style.choice(node.operator.symbols)}{blank}{written}"


def _write_value(value: str, style: Random) -> str:
    if _UNQUOTED.fullmatch(value) and style.random() < 0.5:
        return value
    quote = style.choice("'\"")
    needless = style.choice(("", "", "z"))
    escaped = re.sub(rf"[\\{quote}{needless}]", r"\\\g<0>", value)
    return f"{quote}{escaped}{quote}"
