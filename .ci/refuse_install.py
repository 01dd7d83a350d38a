"""Refuses `pip install .`: the service runs from its folder, with its templates and settings (design/deployment.md)."""

import sys
from typing import NoReturn

_ADVICE = (
    "Dimension elements is an application and is not installed as a package. `make run` starts it with sample data; "
    "docs/operators/installing.md shows how to run it from this folder with the libraries of requirements.lock."
)


def _refuse(*arguments: object, **options: object) -> NoReturn:
    sys.exit(_ADVICE)


# The hooks that a build front end calls first (PEP 517, PEP 660).
get_requires_for_build_wheel = get_requires_for_build_editable = get_requires_for_build_sdist = _refuse
build_wheel = build_editable = build_sdist = _refuse
