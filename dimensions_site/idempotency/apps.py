from django.apps import AppConfig


class IdempotencyConfig(AppConfig):
    name = "dimensions_site.idempotency"
    label = "idempotency"
