"""How a body is refused."""

from typing import Any


def refused(response: Any, status: int, code: str) -> str:
    """Check the refusal and return its sentence."""
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response["Content-Type"] == "application/problem+json"
    detail = response.json()["detail"]
    assert isinstance(detail, str)
    return detail
