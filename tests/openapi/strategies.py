"""What values of the formats look like that only these documents know."""

import schemathesis
from hypothesis import strategies as st

from tests.rsql.writing import __name__ as _  # placeholder
