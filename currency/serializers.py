"""The wire of the currency dimension, declared once (specification, "Currency element"; contract C2, C4, C10)."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty

from dimensions_site.api.json.texts import shown_value
from dimensions_site.elements.declaration.choices import BooleanField
from dimensions_site.elements.declaration.fields import NO_CONTEXT, ElementContext
from dimensions_site.elements.declaration.maps import DescriptionField, DescriptionsField
from dimensions_site.elements.declaration.members import ErrorTree
from dimensions_site.elements.declaration.numbers import CoefficientField, DecimalTextField, IntegerField
from dimensions_site.elements.declaration.serializers import ElementSerializer, Group, immutable
from dimensions_site.elements.declaration.texts import CodeField, FreeTextField, TextField
from dimensions_site.elements.declaration.wire import Wire

MAXIMUM_DECIMALS = 20


class OidField(TextField):
    """Set by the client at creation, else a new UUID; it never changes afterwards (contract C2)."""

    fast_type_decides = False
    is_technical = True

    def __init__(self) -> None:
        super().__init__(
            max_length=64,
            label=_("Object id"),
            help_text=_("Leave it empty for a new one. It never changes afterwards."),
        )
        self.allow_null = False

    def run_validation(self, data: Any = empty, context: ElementContext = NO_CONTEXT) -> Any:
        return super().run_validation(empty if data is None else data, context)  # null is absent (contract C5)

    def default_in(self, context: ElementContext) -> str:
        return str(uuid.uuid4()) if context.existing is None else context.existing.oid

    def value_in(self, data: Any, context: ElementContext) -> str:
        oid, existing = self.to_internal_value(data), context.existing
        if not oid:
            self.reject(gettext("{name} must not be empty."))
        if existing is not None and existing.oid != oid:
            raise ValidationError(immutable("oid", oid, existing.oid))
        return oid

    def schema(self) -> dict[str, Any]:
        return {**super().schema(), "minLength": 1}

    def request_schema(self) -> dict[str, Any]:
        return {**self.schema(), "nullable": True}


class ReferenceCurrencyGroup(Group):
    id = CodeField(refers_to="currency", label=_("Id"), help_text=_("The currency to which this one is tied."))
    coefficient = CoefficientField(
        label=_("Coefficient"), help_text=_("The factor between this currency and the reference currency.")
    )


class CurrencySerializer(ElementSerializer):
    oid = OidField()
    descriptions = DescriptionsField()
    description = DescriptionField()
    preferred = BooleanField(
        label=_("Preferred currency"), help_text=_("Marks the currency as one of those that are used most.")
    )
    decimalNumbers = IntegerField(
        minimum=0,
        maximum=MAXIMUM_DECIMALS,
        required=True,
        label=_("Number of decimals"),
        help_text=_("How many decimals amounts in this currency have."),
    )
    referenceCurrency = ReferenceCurrencyGroup(prefix="reference_currency_", label=_("Reference currency"))
    percentageDifference = DecimalTextField(
        required=True,
        label=_("Percentage difference"),
        help_text=_("The difference that is stored for the currency, in percent."),
    )
    xbrlContent = FreeTextField(label=_("XBRL content"), help_text=_("The text for reports in the format XBRL."))

    also_called: ClassVar[Mapping[str, Sequence[str]]] = {
        "id": (
            *("Currency", "Currency code", "ISO code", "ISO 4217", "Alphabetic Code", "Alpha code", "Code"),
            *("Währung", "Währungscode", "Währungskürzel", "Devise", "Code devise", "Code ISO"),
            *("Valuta", "Codice valuta", "Codice ISO", "Moneda", "Divisa", "Código de moneda", "Código ISO"),
            *("Valutacode", "Muntcode", "Munt"),
        ),
        "descriptions": ("Name", "Text", "Currency"),
        "descriptions.en": ("Currency name",),
        "descriptions.de": ("Bezeichnung", "Währungsbezeichnung", "Währungsname"),
        "descriptions.fr": ("Libellé", "Intitulé", "Nom de la devise"),
        "descriptions.it": ("Nome valuta",),
        "descriptions.es": ("Nombre de la moneda",),
        "descriptions.nl": ("Omschrijving", "Naam"),
        "decimalNumbers": (
            *("Minor unit", "Minor units", "Decimals", "Decimal places", "Nachkommastellen", "Dezimalstellen"),
            *("Décimales", "Nombre de décimales", "Decimali", "Cifre decimali", "Decimales", "Decimalen"),
        ),
        "referenceCurrency.coefficient": ("Exchange rate", "Kurs", "Taux de change", "Tasso di cambio", "Wisselkoers"),
    }

    def canonical(self, data: Mapping[str, Any], context: ElementContext) -> tuple[dict[str, Any], ErrorTree]:
        """Fold `description` and a plain string in `descriptions` into the map of descriptions (contract C4)."""
        result, errors = super().canonical(data, context)
        language = context.language
        if isinstance(result.get("descriptions"), str):
            result["descriptions"] = {language: result["descriptions"]}
        description = result.pop("description", None)
        if description is not None:  # null is absent (contract C5)
            errors |= self._fold(description, language, result)
        return result, errors

    def _fold(self, description: Any, language: str, data: dict[str, Any]) -> ErrorTree:
        """Put `description` into the map of descriptions of `data`; return the errors at `description`."""
        try:
            self.fields["description"].to_internal_value(description)
        except ValidationError as error:
            # The element is invalid already: a missing `descriptions` would be no additional error.
            data.setdefault("descriptions", {language: "-"})
            return {"description": error.detail}
        descriptions = data.setdefault("descriptions", {language: description})
        if not isinstance(descriptions, dict):
            return {}  # the error is at `descriptions`
        if descriptions.setdefault(language, description) == description:
            return {}
        message = gettext(
            "description ({value}) means descriptions.{language} ({other}) and must have the same value; "
            "send only one of them."
        ).format(value=shown_value(description), language=language, other=shown_value(descriptions.get(language)))
        return {"description": [ErrorDetail(message, "conflicting_spellings")]}


CURRENCY_WIRE = Wire(CurrencySerializer)
