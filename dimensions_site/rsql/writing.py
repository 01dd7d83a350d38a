"""Write the syntax tree of a filter as text: the way back from `parser.parse`."""

import re

from dimensions_site.rsql.nodes import And, Comparison, Node

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
