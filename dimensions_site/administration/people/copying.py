"""Keys, ids and secrets in messages, with a button that copies them (`copying.js`)."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def to_copy(text: str, label: str) -> SafeString:
    """Return the text as HTML that the script of the page gives a button called `label`."""
    selected = _("Selected: copy it with Ctrl+C or ⌘C.")
    return format_html(
        '<code data-copy="{}" data-copied="{}" data-selected="{}">{}</code>', label, _("Copied"), selected, text
    )
