"""The operations of a dimension's elements as its OpenAPI document tells them (contract H3)."""

from collections.abc import Mapping
from typing import cast

from dimensions_site.api.components import Part
from dimensions_site.api.schema import Answer, Body, Operation, schema_ref
from dimensions_site.elements import parameters
from dimensions_site.elements.dimension_schema import WHOLE, DimensionSchema
from dimensions_site.elements.views import ElementViewSet

_PRECONDITIONS = (
    "With `If-Match` it is written only if it is still in the version that you read, with `If-None-Match: *` only if "
    "there is none yet; else the answer is 412."
)
_FORMS = (
    "\n\nWith `Accept: application/x-ndjson` each element is one line of JSON. With `Accept: text/csv` it is a row of "
    "cells, separated by commas and in UTF-8. The headings are the paths of the leaves; a map has a column for each "
    "key that one of the elements has in it, such as `descriptions.en`. An empty cell is not set, `[[empty]]` is the "
    "empty text and `[[null]]` a null. `[[text]]` stands before a text that is meant as it is, such as one that a "
    "program for tables would run as a formula. The import commands read the same."
)
_NULLS = "What is optional and left out is unset; `updateInfo` is accepted and ignored."


class ElementSchema(DimensionSchema):
    """Tells the actions of an `ElementViewSet`."""

    @property
    def viewset(self) -> ElementViewSet:
        return cast(ElementViewSet, self.view)

    def operations(self) -> Mapping[str, Operation]:
        return {**self._reading(), **self._writing()}

    def _reading(self) -> Mapping[str, Operation]:
        dimension, noun, plural = self.viewset.dimension, self.noun, self.plural
        selecting = (
            parameters.filter_parameter(self.viewset.wire, self.viewset.unfilterable),
            parameters.SORT,
            parameters.SKIP,
            parameters.TAKE,
        )
        unknown = "A query parameter that is not listed is refused, so that a mistyped `filter` never answers all."
        return {
            "list": Operation(
                id=f"list{plural.title()}",
                summary=f"List {plural}",
                description=f"Answers the {plural} that `filter` selects, whole, in the order of `sort`: all, or the "
                f"part that `skip` and `take` ask for. The answer is a bare array and is streamed. {unknown}{_FORMS}",
                parameters=(parameters.REPOSITORY, *selecting, parameters.PREFER),
                answers={
                    200: Answer(
                        f"The selected {plural}.",
                        {"type": "array", "items": schema_ref(noun)},
                        headers=("X-Total-Count", "Preference-Applied", "Content-Disposition"),
                        example=[self.example("create")["answer"]],
                    )
                },
                refusals=self.refusals(),
            ),
            "count": Operation(
                id=f"count{plural.title()}",
                summary=f"Count {plural}",
                description=f"Answers the number of {plural} that `filter` selects, as a bare integer. `sort`, `skip` "
                f"and `take` are checked and have no effect. {unknown}",
                parameters=(parameters.REPOSITORY, *selecting),
                answers={200: Answer(f"How many {plural} there are.", {"type": "integer", "minimum": 0}, example=1)},
                refusals=self.refusals(),
            ),
            "fetch": Operation(
                id=f"fetch{plural.title()}",
                summary=f"List selected properties of {plural}",
                description=f"Answers of the {plural} that `filter` selects only what `properties` names; groups stay "
                f"nested as in the whole {dimension}. {unknown}{_FORMS}",
                parameters=(
                    parameters.REPOSITORY,
                    parameters.properties_parameter(self.example("fetch")["query"]["properties"]),
                    *selecting,
                    parameters.PREFER,
                ),
                answers={
                    200: Answer(
                        f"The selected properties of the selected {plural}.",
                        {"type": "array", "items": schema_ref(f"{noun}Selection")},
                        headers=("X-Total-Count", "Preference-Applied", "Content-Disposition"),
                        example=self.example("fetch")["answer"],
                    )
                },
                refusals=self.refusals(),
            ),
            "retrieve": Operation(
                id=f"get{noun}",
                summary=f"Read one {dimension}",
                description=f"Answers the {dimension} with its version in `ETag`. With `If-None-Match` the answer to a "
                "version that you have already is 304.",
                parameters=(*self._address, parameters.IF_NONE_MATCH_OF_READER),
                answers={
                    200: self._element(f"The {dimension}.", "create"),
                    304: Answer("You have this version.", headers=("ETag",)),
                },
                refusals=self.refusals(),
            ),
        }

    def _writing(self) -> Mapping[str, Operation]:
        dimension, noun = self.viewset.dimension, self.noun
        spellings = parameters.spellings_text(self.viewset.wire)
        return {
            "create": Operation(
                id=f"create{noun}",
                summary=f"Create one {dimension}",
                description=f"Needs the role editor. An id that is taken is refused. {_NULLS} {WHOLE}{spellings}",
                parameters=(parameters.REPOSITORY,),
                body=self._body(f"{noun}Create", "create"),
                answers={201: self._element(f"The new {dimension}.", "create", "Location")},
                refusals=self.refusals(),
            ),
            "replace": Operation(
                id=f"replace{noun}",
                summary=f"Replace or insert one {dimension}",
                description="Needs the role editor. What `GET` answers may be sent back. The id stands in the path; "
                f"in the body it may be left out, and a different one is refused. {_NULLS} {WHOLE} {_PRECONDITIONS}"
                f"{spellings}",
                parameters=(*self._address, parameters.IF_MATCH, parameters.IF_NONE_MATCH_OF_WRITER),
                body=self._body(f"{noun}Replace", "replace"),
                answers={
                    200: self._element(f"The {dimension}, replaced.", "replace"),
                    201: self._element(f"The {dimension}, inserted.", "replace", "Location"),
                },
                refusals=self.refusals(412),
            ),
            "modify": Operation(
                id=f"patch{noun}",
                summary=f"Change some fields of one {dimension}",
                description="Needs the role editor. Objects and maps are merged member by member; what is left out "
                "stays as it is. null unsets an optional field, a null entry of a map is kept as null, and null for a "
                f"group unsets everything in it. The result has to be valid as a whole. {WHOLE} {_PRECONDITIONS}"
                f"{spellings}",
                parameters=(*self._address, parameters.IF_MATCH, parameters.IF_NONE_MATCH_OF_WRITER),
                body=self._body(f"{noun}Patch", "modify"),
                answers={200: self._element(f"The whole {dimension}, changed.", "modify")},
                refusals=self.refusals(412),
            ),
        }

    @property
    def _address(self) -> tuple[Part, Part]:
        return parameters.REPOSITORY, parameters.element_id(self.example("create")["request"]["id"])

    def _element(self, description: str, action: str, *headers: str) -> Answer:
        return Answer(
            description, schema_ref(self.noun), headers=("ETag", *headers), example=self.example(action)["answer"]
        )

    def _body(self, schema: str, action: str) -> Body:
        return Body(schema_ref(schema), {self.viewset.dimension: self.example(action)["request"]})
