"""A currency as the service returns it, in which every field is set."""

FULL = {
    "id": "EUR",
    "oid": "0000-EUR",
    "descriptions": {"en": "Euro", "it": "Euro (IT)", "fr": None},
    "description": "Euro",
    "preferred": True,
    "decimalNumbers": 2,
    "referenceCurrency": {"id": "USD", "coefficient": "1.0842"},
    "percentageDifference": "0.0500",
    "xbrlContent": "iso4217:EUR",
}
