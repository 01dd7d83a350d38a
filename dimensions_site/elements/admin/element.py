"""The elements of a dimension in the admin, within the user's grants (contract G2)."""

from dimensions_site.elements.admin.deleting import DeletedAdmin
from dimensions_site.elements.admin.editing import EditedAdmin
from dimensions_site.elements.admin.history import HistoryMixin
from dimensions_site.elements.admin.listing import ListedAdmin


class ElementAdmin(HistoryMixin, ListedAdmin, EditedAdmin, DeletedAdmin):
    """A list, a form, a history and a deletion. A dimension names its `dimension`, its `wire` and what is `listed`."""
