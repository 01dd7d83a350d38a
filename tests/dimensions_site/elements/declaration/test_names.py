"""A heading of a file means a field, whatever people call it; what may mean several fields is not guessed."""

import pytest
from django.conf import settings
from django.utils.translation import override

from dimensions_site.elements.declaration.names import names_of
from tests.dimensions import WIRES

LANGUAGES = [code for code, _name in settings.LANGUAGES]


def _stored(wire, path):
    """The path of what is stored: the text in the default language is one of the descriptions."""
    return "descriptions" if wire.places.get(path) and wire.places[path].is_default_description else path


@pytest.mark.parametrize("dimension", WIRES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_field_is_found_by_its_heading_in_each_language(dimension, language):
    """And the entries of maps with their keys, whichever the language of the page is."""
    wire = WIRES[dimension]
    with override(language):
        headings = {path: place.heading for path, place in wire.places.items()}
        entries = {f"{path}.de": place.heading_of("de") for path, place in wire.places.items() if place.is_map}
    with override("en"):
        for path, heading in (headings | entries).items():
            assert names_of(wire).find(heading) == [_stored(wire, path)], heading


@pytest.mark.parametrize("dimension", WIRES)
def test_each_field_is_found_by_its_wire_path(dimension):
    """In any spelling, without regard to case, hyphens and blanks."""
    wire = WIRES[dimension]
    for path in wire.places:
        assert names_of(wire).find(f" {path} ") == [path]
        for spelling in (path.upper(), path.replace(".", "-").title()):
            assert names_of(wire).find(spelling) == [_stored(wire, path)], spelling
    for spelling in wire.spellings.alternatives:
        canonical = wire.canonical_path(spelling)
        if canonical in wire.places:
            assert names_of(wire).find(spelling.upper()) == [canonical]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("KONTO", "id"),
        ("Numero di conto", "id"),
        ("nº de  compte", "id"),
        ("gültig  AB", "dataEntryAndReporting.validity.startDate"),
        ("Gultig ab", "dataEntryAndReporting.validity.startDate"),
        ("Liquidity / Debit account", "cashFlowPlanning.liquidity.debit.id"),
        ("Bezeichnung (en)", "descriptions.en"),
        ("Bezeichnung EN", "descriptions.en"),
        ("description_de", "descriptions.de"),
        ("Descriptions (DE-ch)", "descriptions.de-CH"),
        ("Custom attributes (Owner (old))", "customAttributes.Owner (old)"),
        ("customAttributes.Owner", "customAttributes.Owner"),
        ("conversionType", "conversion.conversionType"),
    ],
)
def test_usual_names_are_known(name, path):
    """In another order of words they would only be similar."""
    assert names_of(WIRES["account"]).find(name) == [path]


@pytest.mark.parametrize("name", ["Natur", "natuer", "Tpye", "Beschreibun (de)", ""])
def test_a_similar_name_is_only_a_guess(name):
    """It is not found; the page that asks for it says that it is one."""
    names = names_of(WIRES["account"])
    assert names.find(name) == []
    similar = {"Natur": "nature", "natuer": "nature", "Tpye": "type", "Beschreibun (de)": "descriptions.de"}
    assert names.similar(name) == ([similar[name]] if name else [])


def test_what_several_fields_are_called_is_ambiguous():
    """All of them are returned, so that the message can name them."""
    found = names_of(WIRES["account"]).find("Debit account")
    assert len(found) > 1
    assert all(path.endswith(".debit.id") for path in found)


@pytest.mark.parametrize("name", ["(de)", "Description (in German)", "x" * 1000, "\0", "🙂", "._-"])
def test_nonsense_means_nothing(name):
    """Neither a field nor an error."""
    assert names_of(WIRES["account"]).find(name) == []


@pytest.mark.parametrize(
    ("dimension", "name", "path"),
    [
        ("account", "Konto-Nr", "id"),
        ("account", "Kontobezeichnung", "descriptions"),
        ("currency", "ISO-Code", "id"),
        ("currency", "Währung", "id"),
        ("currency", "Bezeichnung", "descriptions"),
    ],
)
def test_usual_names_of_other_programs_are_known(dimension, name, path):
    assert names_of(WIRES[dimension]).find(name) == [path]
