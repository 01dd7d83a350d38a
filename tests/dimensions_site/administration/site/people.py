"""Browsers of people in the admin, and the pages of elements there."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from tests.factories import Person


def browser_of(person: Person) -> Client:
    """The browser of somebody with access to the admin."""
    User.objects.filter(pk=person.user.pk).update(is_staff=True)
    browser = Client()
    browser.force_login(User.objects.get(pk=person.user.pk))
    return browser


def superuser() -> Client:
    """The browser of a superuser named root."""
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    return browser


def page(model: Any, name: str = "changelist", *arguments: Any) -> str:
    """The address of a page of a model."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=arguments)


def messages_of(response: Any) -> list[str]:
    """What the messages of a page say, without the links in them."""
    return [strip_tags(str(message)) for message in response.context["messages"]]
