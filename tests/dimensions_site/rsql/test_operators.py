"""What the operators find."""

import pytest

from dimensions_site.rsql.errors import RsqlError
from tests.dimensions_site.rsql.sample.models import Sample


@pytest.fixture
def notes(sample_table, db) -> None:
    """Rows whose code matches their note."""
    for code, note in {
        "plain": "Trade receivables",
        "lower": "trade receivables",
        "star": "50* off",
        "percent": "50% off",
        "underscore": "50_off",
        "backslash": "C:\\50",
        "empty": "",
        "null": None,
    }.items():
        Sample.objects.create(code=code, note=note)


@pytest.mark.contract("D2")
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("note=='Trade receivables'", ["plain"]),
        ("note=='TRADE RECEIVABLES'", []),
        ("note=='50*'", []),
        ("note=='50* off'", ["star"]),
        ("note==''", ["empty"]),
        ("note=in=('50% off','50_off',missing)", ["percent", "underscore"]),
    ],
)
def test_equality_is_exact(codes_of, notes: None, text: str, codes: list[str]) -> None:
    """Case counts, `*` is an ordinary character, and an empty text is not a missing one."""
    assert codes_of(text) == codes


@pytest.mark.contract("D2")
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("note=like='rade'", ["lower", "plain"]),
        ("note=like='Trade'", ["plain"]),
        ("note=like='50%'", ["percent"]),
        ("note=like='50_'", ["underscore"]),
        ("note=like='50*'", ["star"]),
        (r"note=like='\\50'", ["backslash"]),
        ("note=ilike='TRADE REC'", ["lower", "plain"]),
        ("note=ilike='%OFF'", []),
        ("note=ilike='% OFF'", ["percent"]),
        ("note=ilike='_OFF'", ["underscore"]),
        ("note=like=''", ["backslash", "empty", "lower", "percent", "plain", "star", "underscore"]),
    ],
)
def test_containment_takes_wildcards_for_ordinary_characters(
    codes_of, notes: None, text: str, codes: list[str]
) -> None:
    """`=like=` respects case, `=ilike=` does not; every text contains the empty one, a missing text contains none."""
    assert codes_of(text) == codes


@pytest.mark.contract("M5")
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("quantity=like=2", ["-20", "42"]),
        ("quantity=like=-2", ["-20"]),
        ("quantity=ilike=''", ["-20", "42"]),
        ("amount=like=.50", ["42"]),
        ("amount=like=1.500", []),
        ("amount=like=0.000", ["-20"]),
        ("coefficient=like=ru", ["42"]),
        ("coefficient=like=True", []),
        ("coefficient=ilike=True", ["42"]),
        ("active=like=true", ["42"]),
        ("active=like=a", ["-20"]),
        ("active=ilike=FALSE", ["-20"]),
        ("active=like=1", []),
        ("status=like='N H'", ["42"]),
        ("changed=like=2024-02", ["42"]),
        ("changed=like='T01:02:03.004+0000'", ["42"]),
        ("changed=like='0001-01-02T00:00:00.000+0000'", ["-20"]),
        ("changed=ilike=t00", ["-20"]),
        ("changed=like=t00", []),
        ("changed=like='+00:00'", []),
        ("bundle.limits.strict=like=rue", ["42"]),
        ("bundle.limits.strict=ilike=''", ["-20", "42"]),
    ],
)
def test_containment_is_asked_of_the_text_that_an_answer_shows(codes_of, text: str, codes: list[str]) -> None:
    """Also for numbers, booleans, enums and instants; null contains nothing, not even the empty text."""
    Sample.objects.create(
        code="42",
        status="ON HOLD",
        quantity=42,
        amount="1.50",
        coefficient="true",
        active=True,
        changed="2024-02-29T02:02:03.004+01:00",
        bundle={"limits": {"strict": True}},
    )
    Sample.objects.create(
        code="-20",
        quantity=-20,
        amount="0.000",
        coefficient="1",
        active=False,
        changed="0001-01-02T00:00Z",
        bundle={"limits": {"strict": False}},
    )
    Sample.objects.create(code="null", bundle={"limits": {"strict": None}})

    assert codes_of(text) == codes


@pytest.mark.contract("D2")
@pytest.mark.parametrize(
    ("stored", "sought"),
    [
        ("Ärger", "ÄRGER"),
        ("ЖУРНАЛ", "журнал"),
        ("ΛΟΓΑΡΙΑΣΜΟΣ", "λογαριασμος"),
        ("λογαριασμός", "ΣΜΌΣ"),
        ("Straße", "STRASSE"),
        ("STRASSE", "straße"),
        ("\u212aelvin", "kelvin"),
        ("İstanbul", "i\u0307STANBUL"),
        ("𐐀", "𐐨"),
    ],
)
def test_ilike_folds_case_beyond_ascii(codes_of, stored: str, sought: str) -> None:
    """Umlauts, Cyrillic, both small sigmas, sharp s, the Kelvin sign, the dotted I, letters beyond the first plane."""
    Sample.objects.create(code="A", note=stored)

    assert codes_of(f"note=ilike='{sought}'") == ["A"]
    assert codes_of(f"note=like='{sought}'") == []


@pytest.mark.contract("D2", "C19")
@pytest.mark.parametrize(("stored", "sought"), [("Ärger", "arger"), ("Crème", "creme"), ("cafe\u0301", "caf\u00e9")])
def test_ilike_disregards_nothing_but_case(codes_of, stored: str, sought: str) -> None:
    """Accents count, and so does the way in which they are encoded."""
    Sample.objects.create(code="A", note=stored)

    assert codes_of(f"note=ilike='{sought}'") == []


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("quantity", [-(2**31), -10, 9, 2**31 - 1]),
        ("amount", ["-999999999999999.9999999999", "-10", "-9.5", "0", "0.0000000001", "9", "10.0"]),
        ("changed", ["0001-01-02T00:00Z", "1969-12-31T23:59:59.999Z", "2024-01-01T00:00Z", "2024-01-01T00:00:00.001Z"]),
        ("note", ["", "A", "B", "Z", "a", "é", "\uffee", "😀"]),
        ("names.en", ["", "A", "B", "Z", "a", "é", "\uffee", "😀"]),
        ("bundle.label", ["", "A", "B", "Z", "a", "é", "\uffee", "😀"]),
    ],
)
def test_bounds_compare_numbers_instants_and_code_points(codes_of, field: str, values: list[str | int]) -> None:
    """Each of the rising values splits the others into smaller and greater ones; a missing one is neither."""
    column, _, key = field.partition(".")
    for number, value in enumerate(values):
        Sample.objects.create(code=str(number), **{column: {key: value} if key else value})
    Sample.objects.create(code="null")
    codes = [str(number) for number in range(len(values))]

    for number, value in enumerate(values):
        assert codes_of(f"{field}<'{value}'") == codes[:number]
        assert codes_of(f"{field}<='{value}'") == codes[: number + 1]
        assert codes_of(f"{field}>'{value}'") == codes[number + 1 :]
        assert codes_of(f"{field}>='{value}'") == codes[number:]


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("coefficient==0", ["zero", "zeros"]),
        ("coefficient=='-0'", ["zero", "zeros"]),
        ("coefficient=in=(0.0,true)", ["true", "zero", "zeros"]),
        ("coefficient!=0", ["false", "one", "true"]),
        ("coefficient>0", ["one"]),
        ("coefficient>=0", ["one", "zero", "zeros"]),
        ("coefficient<=1", ["one", "zero", "zeros"]),
    ],
)
def test_decimal_text_equals_as_a_number_and_words_are_not_numbers(codes_of, text: str, codes: list[str]) -> None:
    """`"0"` equals `0.000`, `true` equals itself alone, and is neither greater nor smaller than a number."""
    for code, coefficient in {"zero": "0", "zeros": "0.000", "one": "01.0", "true": "true", "false": "false"}.items():
        Sample.objects.create(code=code, coefficient=coefficient)

    assert codes_of(text) == codes


@pytest.mark.contract("D3")
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("names==Cash", ["both", "en"]),
        ("names!=Cash", ["de", "none"]),
        ("names=in=(Kasse,Cassa)", ["both", "de"]),
        ("names=out=(Kasse,Cassa)", ["en", "none"]),
        ("names=like=ass", ["both", "de"]),
        ("names=ilike=CASH", ["both", "en"]),
        ("names>Cash", ["both", "de"]),
        ("names.en==Cash", ["both", "en"]),
        ("names.de=isnull=false", ["both", "de"]),
    ],
)
def test_a_condition_on_a_map_holds_when_any_entry_does(codes_of, text: str, codes: list[str]) -> None:
    """And its negation when none does; a language in the path addresses one entry alone."""
    Sample.objects.create(code="both", names={"en": "Cash", "de": "Kasse"})
    Sample.objects.create(code="en", names={"en": "Cash", "de": None})
    Sample.objects.create(code="de", names={"de": "Kasse"})
    Sample.objects.create(code="none", names={})

    assert codes_of(text) == codes


@pytest.mark.contract("D1", "B1")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("active>false", "active must be compared by one of == != =in= =out= =like= =ilike= =isnull=; got >."),
        (
            "bundle.limits.strict=le=true",
            "bundle.limits.strict must be compared by one of == != =in= =out= =like= =ilike= =isnull=; got <=.",
        ),
    ],
)
def test_an_operator_that_does_not_suit_the_field_is_refused(codes_of, text: str, message: str) -> None:
    """The message lists those that do."""
    with pytest.raises(RsqlError) as caught:
        codes_of(text)

    assert (caught.value.code, caught.value.message) == ("OPERATOR_NOT_ALLOWED", message)


@pytest.mark.contract("D1")
@pytest.mark.parametrize("operator", ["==", "!=", "<", "=like=", "=isnull="])
def test_only_in_and_out_take_several_values(codes_of, operator: str) -> None:
    """Several values for the others would silently lose all but one."""
    with pytest.raises(RsqlError) as caught:
        codes_of(f"code{operator}(A,B)")

    hint = {"==": " Use =in= for a list.", "!=": " Use =out= for a list."}.get(operator, "")
    assert caught.value.message == f"code{operator} must be followed by one value; got 2.{hint}"
    assert caught.value.code == "INVALID_VALUE"
