"""JSON out."""

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer


class JSONRenderer(BaseRenderer):
    """Renders what serializers return as compact UTF-8 JSON; parameters of Accept such as `indent` mean nothing."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return `data` as JSON bytes; no bytes for a response without a body."""
        return b"" if data is None else orjson.dumps(data)
