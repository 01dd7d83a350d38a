"""The addresses of the plain service."""

from django.urls import include, path
from rest_framework.routers import SimpleRouter

from tests.load.bench.plain.views import AccountViewSet

router = SimpleRouter(trailing_slash=False)
router.register("accounts", AccountViewSet, basename="account")

urlpatterns = [path("<str:tenant>/", include(router.urls))]
