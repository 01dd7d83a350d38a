"""The administration of a dimension, with all that works on many elements."""

from bulkops.admin.deleting import DeletionActionMixin
from bulkops.admin.exporting import ExportMixin
from bulkops.admin.imports.wizard import ImportButtonMixin
from bulkops.admin.plans.bringing_over import BringOverMixin
from bulkops.admin.plans.changing import ChangeActionMixin
from bulkops.admin.tables.page import TableMixin
from dimensions_site.elements.admin.element import ElementAdmin


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
