"""Texts with which SQL is injected where a service builds it from input."""

# Quotes that end a text, comments, statements behind a semicolon, conditions that are always true, waits, unions, casts
# that reveal data in errors, functions, placeholders of database drivers, and backslashes for those who escape by them.
INJECTIONS = (
    "'",
    "''",
    "';",
    "' --",
    "' OR '1'='1",
    "' OR 1=1 --",
    "') OR ('1'='1",
    "')) OR 1=1 --",
    "x' AND 1=0 UNION SELECT password FROM auth_user --",
    "'; DROP TABLE account_account; --",
    "'; UPDATE auth_user SET is_superuser=true; --",
    "1; SELECT pg_sleep(5) --",
    "'||(SELECT pg_sleep(5))||'",
    "' AND 1=CAST((SELECT version()) AS int) --",
    "' AND (SELECT 1 FROM (SELECT randomblob(1000000000))) --",
    "%' OR '%'='",
    "_%",
    "%s",
    "%(id)s",
    "$1",
    ":id",
    "?",
    "{0}",
    "\\",
    "\\' OR 1=1 --",
    '" OR "1"="1',
    "`id`",
    "[id]",
    "/**/OR/**/1=1",
    "' /*! OR 1=1 */ --",
    "$$;DROP TABLE account_account;$$",
    "E'\\x27'",
    "U&'\\0027'",
    "COPY account_account TO PROGRAM 'id'",
    "\\N",
    "\\.",
    "＇ OR 1=1",
    "ʼ OR 1=1",
)
# What it is compared with: the same for a service that treats texts as texts.
HARMLESS = "harmless"


def in_filter(text: str) -> str:
    """The text as a quoted value of a filter (contract D1)."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
