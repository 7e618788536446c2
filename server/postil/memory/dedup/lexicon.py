"""The lexicon: which words and phrases say the same in each language. Read from `lexicon.txt`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

ENGLISH = "english"
_OTHERS = ("german", "french", "spanish", "italian", "portuguese", "dutch", "russian")
_USE = {
    "english": "use",
    "german": "verwenden",
    "french": "utiliser",
    "spanish": "usar",
    "italian": "usare",
    "portuguese": "usar",
    "dutch": "gebruiken",
    "russian": "\u0438\u0441\u043f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442\u044c",
}
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Tongue:
    """How one language says things: words of no weight, phrase openers, denials, roots."""

    name: str
    stop: frozenset[str]
    weak: frozenset[str]
    denials: frozenset[str]
    starts: frozenset[str]
    heads: dict[str, str]
    stem: Callable[[str], str]

    @property
    def use(self) -> str:
        """The root of `to use`, the verb that statements of knowledge have most often."""
        return self.root(_USE[self.name])

    def root(self, word: str) -> str:
        """The root by which a word is compared; "" when it carries no weight."""
        if word in self.stop:
            return ""
        if self.name == "russian" and word.isascii():
            return tongue(ENGLISH).root(word)  # names of things are written in Latin letters
        is_plural = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3
        stem = self.stem(word[:-1] if is_plural and self.name == ENGLISH else word)
        root = self.heads.get(word) or self.heads.get(stem, stem)
        return "" if root in self.stop else root


@cache
def tongue(name: str) -> Tongue:
    """A language of the lexicon."""
    stem = _stemmer(name)
    if name == ENGLISH:
        stop = frozenset(" ".join(_sections()["stop"]).split())
        pairs = pairs_of("words")
        weak, denials, starts = words("weak"), words("denials"), frozenset[str]()
    else:
        stop, weak, denials, starts = (
            frozenset(_of(section, name).split())
            for section in ("languages", "weak", "negations", "starts")
        )
        pairs = {
            other: head.strip()
            for group in _of("synonyms", name).split(",")
            for head, _, others in [group.partition(":")]
            for other in others.split()
        }
    heads = {word: stem(head) for word, head in pairs.items()}
    heads |= {stem(word): root for word, root in heads.items()}
    # A head that has a head itself: `settings` is `setting` is `config`.
    heads = {word: heads.get(root, root) for word, root in heads.items()}
    return Tongue(name, stop | {stem(word) for word in stop}, weak, denials, starts, heads, stem)


def spoken(text: str) -> Tongue:
    """The language whose commonest words stand in a text most often; English when in doubt."""
    here = set(_WORD.findall(text.casefold()))
    common = tongue(ENGLISH).stop | words("weak") | words("auxiliary") | words("denials") | {"use"}
    best, most = ENGLISH, len(here & common)
    for name in _OTHERS:
        other = tongue(name)
        count = len(here & (other.stop | other.weak | other.denials))
        if count > most:
            best, most = name, count
    return tongue(best)


@cache
def phrase_pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    """English phrases, longest first, and what stands for each."""
    heads = pairs_of("phrases")
    longest_first = sorted(heads, key=lambda phrase: (-len(phrase), phrase))
    pattern = "|".join(re.escape(phrase) for phrase in longest_first)
    return re.compile(rf"(?<![\w'/.-])(?:{pattern})(?![\w'/-])"), heads


@cache
def pairs_of(section: str) -> dict[str, str]:
    """The forms of a section of `head = form, form` lines, each with its head."""
    pairs: dict[str, str] = {}
    for line in _sections()[section]:
        head, _, others = f" {line}".partition(" = ")
        pairs |= {other.strip(): head.strip() for other in others.split(",")}
    return pairs


@cache
def words(name: str) -> frozenset[str]:
    """English function words of a sort: `strong` and `weak` openers, `be`, `denials`, ..."""
    return frozenset(_of("opening", name).split())


@cache
def verb_stems() -> frozenset[str]:
    """The stems of the English verbs by which a subject is told from what is said of it."""
    stem = tongue(ENGLISH).stem
    return frozenset(stem(verb) for verb in " ".join(_sections()["verbs"]).split())


def _of(section: str, name: str) -> str:
    rows = dict(line.split(" = ", 1) for line in _sections()[section])
    return rows.get(name, "")


@cache
def _sections() -> dict[str, list[str]]:
    text = files("postil.memory.dedup").joinpath("lexicon.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            current.append(line)
    return sections


def _stemmer(name: str) -> Callable[[str], str]:
    import snowballstemmer

    made: Any = snowballstemmer.stemmer(name)
    return cache(made.stemWord)
