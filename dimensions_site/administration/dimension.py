"""The administration of a dimension, with all that works on many elements."""

from dimensions_site.administration.elements.deleting import DeletionActionMixin
from dimensions_site.administration.elements.element import ElementAdmin
from dimensions_site.administration.files.exporting import ExportMixin
from dimensions_site.administration.files.wizard import ImportButtonMixin
from dimensions_site.administration.plans.bringing_over import BringOverMixin
from dimensions_site.administration.plans.changing import ChangeActionMixin
from dimensions_site.administration.table.page import TableMixin


class DimensionAdmin(
    ChangeActionMixin,
    TableMixin,
    DeletionActionMixin,
    ImportButtonMixin,
    ExportMixin,
    BringOverMixin,
    ElementAdmin,
):
    """The list, the forms, the table, the history, imports, exports and plans of a `dimension`."""

    actions = ["export_elements", "change_elements", "edit_elements", "delete_elements"]
    actions_list = ["edit_table", "import_file", "export_file"]
