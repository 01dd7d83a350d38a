"""Whether the responses are right: what REST and pages show is what plain SQL finds."""

from collections.abc import Mapping, Sequence

import orjson

from tests.load.bench.bodies import NATURE, identifier
from tests.load.bench.contestants import Contestant
from tests.load.growth.bodies import COMMON, FREQUENT, RARE
from tests.load.growth.loading import Rig
from tests.load.growth.reading import ELEMENTS, TYPE, paths
from tests.load.growth.stages import LARGE, Stage

# The number of ids whose responses are compared one by one.
_DRAWN = 3
_ROW = 'class="element-described">'


def check(rig: Rig, stage: Stage) -> int:
    """Compare the answers with what is stored; return how many were right. One that is not is an AssertionError."""
    asked = paths(stage)
    right = 0
    for key, expected in _expected(rig, stage).items():
        for path, wanted in zip(asked[key], expected, strict=False):
            found = _answered(rig.service, path)
            assert found == wanted, f"{path} answers {str(found)[:200]} and should answer {str(wanted)[:200]}"
            right += 1
    everything = _answered(rig.service, f"{ELEMENTS}-fetch?properties=id")
    assert everything == _numbers(0, stage.large, stage)
    return right + 1 + _check_pages(rig, asked)


def _check_pages(rig: Rig, asked: Mapping[str, Sequence[str]]) -> int:
    service = rig.service
    root = Contestant(service.name, service.port, service.pid, rig.session)
    pages = {
        key: root.call("GET", asked[key][0], accept="text/html").decode()
        for key in ("admin-list", "admin-rare", "admin-common", "admin-nothing")
    }
    assert identifier(0) in pages["admin-list"]
    assert RARE in pages["admin-rare"].partition(_ROW)[2]
    assert COMMON in pages["admin-common"].partition(_ROW)[2]
    assert _ROW not in pages["admin-nothing"]
    return len(pages)


def _answered(service: Contestant, path: str) -> object:
    """The number that is answered, the id of the one element, or the ids of all of them."""
    answer = orjson.loads(service.call("GET", path))
    if isinstance(answer, list):
        return [each["id"] for each in answer]
    return answer["id"] if isinstance(answer, dict) else answer


def _expected(rig: Rig, stage: Stage) -> Mapping[str, Sequence[object]]:
    """What the first requests of a row have to answer: ids in their order, or a number."""
    drawn = [path.rpartition("/")[2] for path in paths(stage)["one"]]
    numbers = [int(id) for id in drawn[:_DRAWN]]
    rare = {place: [identifier(number) for number in range(rig.base) if number % 1_000 == place] for place in (7, 8)}
    return {
        "first-page": [_numbers(0, 100, stage)],
        "middle-page": [_numbers(stage.large // 2, 100, stage)],
        "after": [_numbers(number + 1, 100, stage) for number in numbers],
        "other-order": [_stored(rig, 'TRUE ORDER BY type COLLATE "C" DESC, element_id COLLATE "C" LIMIT 50')],
        "id": [[id] for id in drawn[:_DRAWN]],
        "ids": [sorted(set(drawn[:10]))],
        "id-part": [[id] for id in drawn[:_DRAWN]],
        "one-language": [rare[7]],
        "any-language": [sorted(rare[7] + rare[8])],
        "common-page": [_numbers(0, 50, stage)],
        "enum-page": [_stored(rig, f"type = '{TYPE}' ORDER BY element_id COLLATE \"C\" LIMIT 50")],
        "count": [stage.large],
        "count-enum": [len(_stored(rig, f"nature = '{NATURE}'"))],
        "count-frequent": [len(_stored(rig, f"descriptions->>'de' LIKE '%{FREQUENT}%'"))],
        "one": drawn[:_DRAWN],
    }


def _stored(rig: Rig, condition: str) -> list[str]:
    found = rig.database.execute(
        "SELECT element_id FROM account_account WHERE repository_id = "
        f"(SELECT id FROM repositories_repository WHERE db_id = '{LARGE}') AND {condition}"
    )
    return [id for (id,) in found]


def _numbers(first: int, count: int, stage: Stage) -> list[str]:
    return [identifier(number) for number in range(first, min(first + count, stage.large))]
