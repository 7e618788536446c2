"""Labelled samples: pairs of statements, and texts with and without secrets.

No secret stands in the repository: `${alnum:36}` and the like become characters by chance, always
the same for a sample. What stands between « and » is a secret.
"""

from __future__ import annotations

import json
import random
import re
import string
from dataclasses import dataclass
from pathlib import Path

_CASES = Path(__file__).parents[1] / "cases"
_ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "upper": string.ascii_uppercase + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "urlsafe": string.ascii_letters + string.digits + "-_",
    "digits": string.digits,
    "lower": string.ascii_lowercase,
}
_PLACE = re.compile(r"\$\{(alnum|hex|upper|b64|urlsafe|digits|lower|luhn|uuid)(?::(\d+))?\}")


@dataclass(frozen=True, slots=True)
class Sample:
    id: str
    text: str
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    id: str
    group: str
    old: str
    new: str
    label: str


def redaction_samples() -> list[Sample]:
    samples = []
    for row in _rows("redaction.jsonl"):
        text = _filled(row["text"], row["id"])
        secrets = tuple(re.findall("«(.*?)»", text, re.DOTALL))
        samples.append(Sample(row["id"], text.replace("«", "").replace("»", ""), secrets))
    return samples


def dedup_pairs(name: str = "dedup") -> list[Pair]:
    return [Pair(**row) for row in _rows(f"{name}.jsonl")]


def _rows(name: str) -> list[dict[str, str]]:
    lines = (_CASES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _filled(template: str, seed: str) -> str:
    chance = random.Random(seed)

    def fill(match: re.Match[str]) -> str:
        if match[1] == "uuid":
            digits = "".join(chance.choice("0123456789abcdef") for _ in range(32))
            sizes = (8, 12, 16, 20, 32)
            return "-".join(digits[a:b] for a, b in zip((0, *sizes), sizes, strict=False))
        length = int(match[2])
        if match[1] == "luhn":
            return _card(length, chance)
        text = "".join(chance.choice(_ALPHABETS[match[1]]) for _ in range(length))
        return text + "=" * (-length % 4) if match[1] == "b64" else text

    return _PLACE.sub(fill, template)


def _card(length: int, chance: random.Random) -> str:
    digits = [4] + [chance.randrange(10) for _ in range(length - 2)]
    doubled = [2 * one - 9 * (one > 4) for one in digits[::-1][::2]]
    total = sum(doubled) + sum(digits[::-1][1::2])
    return "".join(map(str, digits)) + str(-total % 10)
