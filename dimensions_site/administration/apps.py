from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    name = "dimensions_site.administration"
    label = "administration"

    def ready(self) -> None:
        """Register the pages, which Django looks for in `admin` modules only."""
        from dimensions_site.administration.files import wizard
        from dimensions_site.administration.jobs import activity, deletions, workers
        from dimensions_site.administration.people import changes, keys, people
        from dimensions_site.administration.plans import pages
