from django.apps import AppConfig


class BulkopsConfig(AppConfig):
    name = "bulkops"
    verbose_name = "Bulk operations"
