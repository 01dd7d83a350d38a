"""Which modes of authentication an operator may choose."""

from itertools import permutations

import pytest
from django.core.exceptions import ImproperlyConfigured

from dimensions_site.tokens.configuration import authentication_classes

BASIC = "dimensions_site.api.access.basic.BasicAuthentication"
API_KEY = "dimensions_site.repositories.authentication.ApiKeyAuthentication"
OAUTH2 = "dimensions_site.tokens.bearer.OAuth2Authentication"
JWT = "dimensions_site.tokens.jwt.tokens.JwtAuthentication"


@pytest.mark.contract("G1")
@pytest.mark.parametrize("modes", list(permutations(["basic", "api-key", "jwt", "oauth2"])))
def test_the_order_of_the_classes_does_not_depend_on_the_setting(modes):
    """However the setting is written: the tokens of OAuth2 are looked at before JSON Web Tokens."""
    assert authentication_classes(modes) == [BASIC, API_KEY, OAUTH2, JWT]


@pytest.mark.contract("G1")
def test_only_the_chosen_modes_are_in_use():
    """The setting lists the modes that the application uses; the others are off."""
    assert authentication_classes(["api-key"]) == [API_KEY]
    assert authentication_classes(["jwt", "basic"]) == [BASIC, JWT]


@pytest.mark.contract("G1")
@pytest.mark.parametrize(
    ("modes", "named"),
    [
        (["digest"], "'digest'"),
        (["basic", "Basic"], "'Basic'"),
        (["basic", ""], "''"),
        (["basic", "basic"], "'basic' 2 times"),
        ([], "no authentication mode"),
    ],
)
def test_a_setting_that_cannot_be_meant_stops_the_service(modes, named):
    """The message has the wrong mode and the existing ones."""
    with pytest.raises(ImproperlyConfigured) as refusal:
        authentication_classes(modes)
    assert named in str(refusal.value)
    assert "basic" in str(refusal.value)
