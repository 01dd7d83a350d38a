"""Where the tables of the plain service are."""

SCHEMA = "plain"
