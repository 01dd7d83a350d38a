"""The company's provider, which the service trusts, and a group here that it knows."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache

from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.tokens.models import ProviderGroup
from dimensions_site.tokens.openid import provider
from tests.dimensions_site.tokens.openid.company import Company


@pytest.fixture
def company(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    """A provider that is always waited for, however busy the machine is; tests of delays set their own."""
    monkeypatch.setattr(provider, "_TIMEOUT", 60)
    monkeypatch.setattr(provider, "_SILENCE", 60)
    cache.clear()  # of what other tests have counted
    company = Company()
    settings.OPENID_PROVIDER = company.as_setting()
    settings.LOCAL_SIGN_IN = "superusers"
    yield company
    company.stop()
    provider._client_of.cache_clear()  # the next one may get its port


@pytest.fixture
def accountants(northwind: Repository) -> Group:
    """Editors of the repository; at the provider they are `accounting`."""
    group = Group.objects.create(name="Accountants")
    ProviderGroup.objects.create(group=group, name="accounting")
    AccessGrant.objects.create(group=group, repository=northwind, role=Role.EDITOR, dimension="all")
    return group
