"""The error of a text that is no filter."""

import pytest

from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.parser import parse
from tests.dimensions_site.rsql.sample.fields import SampleFields


def error_of(text: str) -> RsqlError:
    """The error of the filter, whether its syntax is wrong or what it names."""
    with pytest.raises(RsqlError) as caught:
        compile_filter(parse(text), SampleFields())
    return caught.value
