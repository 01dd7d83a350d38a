"""Everybody sees where to type: each box of each form of the administration has a border and a size."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from account.models import Account
from bulkops.models import FileImport, Plan
from currency.models import Currency
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from dimensions_site.tokens.models import Application
from tests.browser import WIDTHS, signed_in
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.files.imports import BANK, HEADINGS, upload
from tests.dimensions_site.administration.site.people import page, superuser
from tests.dimensions_site.tokens.clients import service
from tests.factories import Person, account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.django_db(transaction=True)

# Boxes that are too small, or without a border that contrasts with their surroundings.
UNSEEN = """() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour, below) => {
    paint.fillStyle = below;
    paint.fillRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue] = paint.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  };
  const ground = (element) => element === null ? "rgb(255, 255, 255)"
    : channels(getComputedStyle(element).backgroundColor, ground(element.parentElement));
  const luminance = (colour) => colour.match(/[0-9.]+/g).slice(0, 3)
    .map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const stands_out = (colour, from) => {
    const [darker, lighter] = [colour, from].map(luminance).sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const boxes = document.querySelectorAll("form :is(input, select, textarea), .select2-selection");
  return [...boxes]
    .filter((box) => box.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((box) => !["hidden", "submit", "file", "checkbox"].includes(box.type))
    .filter((box) => !box.matches(".select2-hidden-accessible, .select2-search__field"))
    .map((box) => {
      const { width, height } = box.getBoundingClientRect();
      let border = 1;
      // Some boxes have their border from what is drawn closely around them.
      for (let frame = box; frame.offsetHeight <= height + 8; frame = frame.parentElement) {
        const style = getComputedStyle(frame);
        const around = ground(frame.parentElement);
        if (parseFloat(style.borderTopWidth) && style.borderTopStyle !== "none")
          border = Math.max(border, stands_out(channels(style.borderTopColor, around), around));
      }
      return { name: box.name || box.className, round: box.type === "radio", width, height, border };
    })
    .filter(({ round, width, height, border }) => (!round && (height < 24 || width < 40)) || border < %s)
    .map(({ name, width, height, border }) => `${name}: ${width} x ${height}, ${border.toFixed(2)}:1`);
}"""
# WCAG 1.4.11.
STANDS_OUT = 3


@pytest.fixture
def root(alice: Any, northwind: Repository) -> Client:
    """The browser of a superuser, with one object of everything that has a form."""
    browser = superuser()
    store_accounts(northwind, account(customAttributes={"Owner": "Treasury"}))
    store_currencies(northwind, currency("EUR"))
    upload(browser, northwind, HEADINGS.replace("nature", "Nature of it") + BANK, "draft.csv")
    group = Group.objects.create(name="Auditors")
    AccessGrant.objects.create(group=group, repository=northwind, role=Role.READER)
    service(alice.user)
    return browser


def pages_with_boxes() -> Iterator[str]:
    """The address of every page on which a superuser adds or changes something."""
    models: tuple[Any, ...] = (Account, Currency, User, Group, Repository, AccessGrant, ApiKey, Application)
    for model in models:
        yield page(model, "add")
        yield page(model, "change", model.objects.order_by("pk").values_list("pk", flat=True)[0])
    yield page(Account, "export_file")
    yield page(FileImport, "add")
    yield page(FileImport, "columns", FileImport.objects.get().pk)
    yield reverse("admin:password_change")
    yield reverse("admin:auth_user_password_change", args=[User.objects.get(username="alice").pk])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_box_of_each_form_can_be_seen(root: Client, visit: Any, scheme: str) -> None:
    """In both schemes, in all groups of a form, and in added rows."""
    first, *others = pages_with_boxes()
    unseen: dict[str, list[str]] = {}

    def measure(tab: Page, address: str) -> None:
        tab.evaluate("document.querySelectorAll('[role=tabpanel]').forEach(panel => panel.hidden = false)")
        for add in tab.locator("[data-add], .add-row a").filter(visible=True).all():
            add.click()
        assert tab.locator("form[method='post' i] :is(input, select):not([type='hidden'])").count()
        unseen[address] = tab.evaluate(UNSEEN % STANDS_OUT)

    def look(tab: Page) -> None:
        tab.emulate_media(reduced_motion="reduce")
        origin = tab.url.removesuffix(first)
        measure(tab, first)
        for address in others:
            tab.goto(f"{origin}{address}")
            measure(tab, address)

    visit(first, look, storage_state=signed_in(root), color_scheme=scheme)
    assert {address: boxes for address, boxes in unseen.items() if boxes} == {}


def test_a_reason_has_room_on_a_phone(root: Client, alice: Person, visit: Any) -> None:
    """Its button stands below it."""
    make(alice, "account", bulk={"post": [account("2")]})

    def look(tab: Page) -> None:
        width = tab.get_by_label("Reason").first.evaluate("box => box.getBoundingClientRect().width")
        assert width > WIDTHS["phone"] / 2

    visit(
        page(Plan, "change", Plan.objects.get().pk),
        look,
        storage_state=signed_in(root),
        viewport={"width": WIDTHS["phone"], "height": 844},
    )
