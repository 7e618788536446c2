"""A statement in canonical form: two that have the same form say the same. Pure.

Words are replaced by their head word, weightless ones dropped, the rest stemmed. Numbers carry
their unit, denial is bound to the words it denies, passive voice is turned round. The phrases of a
simple statement may stand in any order. Where order could tell who does what to whom, or which
value belongs to which thing, it counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace

from postil.memory.dedup.lexicon import ENGLISH, Tongue, phrase_pattern, spoken, verb_stems, words
from postil.memory.dedup.tokens import Token, tokens
from postil.memory.dedup.unspaced import is_unspaced, unspaced

# A longer text is a document, not a statement: it is known again only by its whole content.
LONGEST = 2_000
_MOST_PHRASES = 5
_CONTRACTIONS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        ("\u2019", "'"),
        (r"\bwon't\b", "will not"),
        (r"\bcan't\b", "can not"),
        (r"\bcannot\b", "can not"),
        (r"\b(\w+)n't\b", r"\1 not"),
        (r"(?<=[/\d])min\b", "minute"),
        (r"\bper min\b", "per minute"),
        (r"(?<=\d)-(?=(?:bytes?|bits?|seconds?|minutes?|hours?|days?|weeks?)\b)", " "),
        (r"\bunsafe\b", "not safe"),
        (r"\b(cho(?:o?se|sen)\w*|picked|opted for) (.{2,60}?) over (?=\w)", r"\1 \2 rather than "),
        (r"\b(?:each|every) time\b", "whenever"),
        (r"\bat all times\b", ""),
        (r"\bmidnight\b(?: \w+(?= 0?0:00))?", "00:00"),
        (r"\bnoon\b", "12:00"),
        (r"\b(do|does) not (.{3,60}?) any ?more\b", r"nolonger \2"),
        (r"\b(we|you|they)'(?:re|ve|ll|d)\b", r"\1"),
        (r"\b(i|he|she|it|that|there|what|let)'(?:m|s|ll|d|ve)\b", r"\1 is"),
        (r"(?<=\w)'s?(?=\s|$)", ""),
        (r"\bin (\w+) order\b", r"\1"),
        (r"^([\w .-]{3,50}): (?=\S)", r"\1 is "),
        (r"\bversion (?=\d)", "v"),
        (r"\b(v\d[\w.]*) of (?:the )?([\w-]+)", r"\2 \1"),
        (r"\b(\d[\d.]*) or (?:newer|later|higher|above|more|greater)\b", r">=\1"),
        (r"\b(prefer\w*|preferable) (.{2,60}?) to (?=\w)", r"\1 \2 over "),
        (r"\bpreferred to\b", "preferred over"),
        (r"\bby hand\b", "manually"),
        (r"\bsee (?:the )?([\w./-]+) for (?:the )?(.+)$", r"\2 is in \1"),
        (r"\bwhere (.+?) (?:belongs?|lives?|goes?)\b", r"\1"),
        (r"^put (.+?) (in|into) ", r"\1 is \2 "),
        (r"\bmax(?:imum)? (line length|length) is (\d+)", r"lines are never longer than \2"),
        (r"\bhalf of (?:the )?(?=[a-z])", "50% of "),
        (r"\bis limited to (?=\d)", "limit is "),
        (r"\bserver-side\b", "on the server"),
        (r"\b(?:over|above) (?=\d)", "> "),
        (r"\b(?:under|below) (?=\d)", "< "),
    )
)
_CAMEL = re.compile(r"(?<![\w./-])(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)(?![\w/-])")
# `A` is a name where it is no article: inside a sentence, or where other letters are names.
_LETTER = re.compile(r"(?<=[\w,] )(A)(?![\w'/+-])|\b(A)(?![\w'/+-])(?=[^.]*\b[B-HJ-Z](?![\w'/+-]))")
_REASON = re.compile(
    r"\s*(?:[,;:(\u2014\u2013-]\s*)?\b(?:because|since|so that|so we|so the|as it|as they|as we"
    r"|due to|owing to|given that|in order to|to avoid|to prevent|the reason being|otherwise|weil"
    r"|denn|porque|parce que|perché|omdat|\u043f\u043e\u0442\u043e\u043c\u0443 \u0447\u0442\u043e)"
    r"\b\s*(?P<reason>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_OPPOSITES = {
    "slower": "faster",
    "smaller": "larger",
    "older": "newer",
    "worse": "better",
    "lower": "higher",
    "shorter": "longer",
    "cheaper": "dearer",
    "weaker": "stronger",
}
_LESS = re.compile(
    rf"(?P<one>[\w.+#-]+) is (?P<how>{'|'.join(_OPPOSITES)}) than (?P<other>[\w.+#-]+)"
)
# `..., it leaks sockets`
_ADDED = re.compile(
    r",\s+(?:(?:it|they|this|which)|as(?!\s+(?:an?|the|well|soon|long)\b))\s+(?P<reason>.+)$",
    re.DOTALL,
)
_AGENT = re.compile(r"\b\w+(?:ed|en|un|pt|lt|ld|nt|de)\s+by\b", re.IGNORECASE)
_NOUN_ENDINGS = ("ion", "ions", "ment", "ments", "ance", "ence", "ity", "ness", "ly")
_SAME_OPENER = {"with": "use", "using": "use", "via": "use", "through": "use"} | {
    "when": "if",
    "insteadof": "not",
}
_CONDITIONS = frozenset(("if", "when", "unless", "onlyif", "while"))


@dataclass(slots=True)
class _Phrase:
    """Words that belong together; what opened them, and whether they say what is done."""

    words: list[Token]
    opener: str = ""
    is_predicate: bool = False
    has_deed: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A canonical statement: its phrases, and the reason that it gives itself."""

    phrases: tuple[tuple[Token, ...], ...]
    reason: str = ""
    # Each word with the part it plays, for statements whose phrases were cut in other places.
    parts: tuple[tuple[Token, str], ...] = ()
    is_simple: bool = False
    has_agent: bool = False
    is_english: bool = True
    # Each word with what governs it, in their order: a preposition, the verb before it, or nothing.
    governed: tuple[tuple[Token, str], ...] = ()

    @property
    def tokens(self) -> tuple[Token, ...]:
        """All words."""
        return tuple(token for phrase in self.phrases for token in phrase)


def canonical(text: str) -> Form:
    """The canonical form of a statement; a reason that it gives itself is set apart."""
    text = _LETTER.sub("letter_a", unicodedata.normalize("NFKC", text))
    match = _REASON.search(text)
    reason = ""
    match = match or _ADDED.search(text)
    if match is not None and match.start() >= 8:
        text, reason = text[: match.start()], match["reason"].strip(" .)")
    tongue = spoken(text)
    sentences = _sentences(text, tongue)
    is_simple = _is_simple([phrase for sentence in sentences for phrase in sentence])
    is_read = tongue.name == ENGLISH and any(_is_read(sentence) for sentence in sentences)
    kept = [
        phrase
        for sentence in sentences
        for phrase in _joined([_arranged(one, tongue, _is_read(sentence)) for one in sentence])
        if phrase
    ]
    parts = [
        (token, _part(phrase, token))
        for sentence in sentences
        for phrase in sentence
        for token in _kept(phrase, tongue)
    ]
    phrases = tuple(sorted(kept, key=str) if is_simple else kept)
    return Form(
        phrases,
        reason,
        tuple(parts),
        is_simple and is_read,
        bool(_AGENT.search(text)),
        tongue.name == ENGLISH,
        tuple(pair for sentence in sentences for pair in _governed(sentence, tongue)),
    )


def _governed(sentence: list[_Phrase], tongue: Tongue) -> list[tuple[Token, str]]:
    """Words with their governors: what follows the first verb is its object."""
    governor = "subject"
    found: list[tuple[Token, str]] = []
    for phrase in sentence:
        if phrase.opener and phrase.opener not in tongue.denials and phrase.opener != "every":
            governor = _SAME_OPENER.get(phrase.opener, phrase.opener)
        for token in phrase.words:
            weighed = _weighed(token, tongue)
            root = tongue.stem(token.text) if weighed is None else weighed.text
            is_verb = token.kind == "word" and (root == tongue.use or root in verb_stems())
            if weighed is not None or is_verb:
                found.append((weighed or Token(root), governor))
            if is_verb and governor == "subject":
                governor = "object"
    return found


def _turned(match: re.Match[str]) -> str:
    """`a is slower than b` as `b is faster than a`."""
    return f"{match['other']} is {_OPPOSITES[match['how']]} than {match['one']}"


def _sentences(text: str, tongue: Tongue) -> list[list[_Phrase]]:
    names = {name.casefold() for name in _CAMEL.findall(text)}
    lower = text.casefold()
    if tongue.name == ENGLISH:
        for contraction, plain in _CONTRACTIONS:
            lower = contraction.sub(plain, lower)
        lower = _LESS.sub(lambda match: _turned(match), lower)
    pattern, heads = phrase_pattern()
    lower = pattern.sub(lambda match: f" {heads[match.group(0)]} ", lower)
    found: list[list[_Phrase]] = []
    sentence: list[Token] = []
    for token in (*tokens(lower, names), Token(".", "stop")):
        if token.kind != "stop":
            sentence.append(token)
            continue
        for clause in _by_condition(sentence, tongue):
            phrases = [one for one in _Reader(clause, tongue).phrases() if one.words]
            found.append(_voiced(phrases) if tongue.name == ENGLISH else phrases)
        sentence = []
    return found


def _by_condition(sentence: list[Token], tongue: Tongue) -> list[list[Token]]:
    """A sentence and its conditions, each with its own denials.

    `never without x` is `only with x`, and `if not` is `unless`.
    """
    if tongue.name != ENGLISH:
        return [sentence]
    exceptions = ("unless", "without", "until")
    if _denies_all(sentence, tongue) and any(one.text in exceptions for one in sentence):
        sentence = [
            replace(one, text="onlyif") if one.text in exceptions else one
            for one in sentence
            if one.text not in tongue.denials or one.text == "without"
        ]
    clauses: list[list[Token]] = [[]]
    for token in sentence:
        if token.kind == "word" and token.text in _CONDITIONS:
            clauses.append([])
        clauses[-1].append(token)
    return [_undenied(clause, tongue) for clause in clauses if clause]


def _undenied(clause: list[Token], tongue: Tongue) -> list[Token]:
    opposite = {"if": "unless", "when": "unless", "unless": "if"}.get(clause[0].text)
    if opposite is None or not _denies_all(clause[1:], tongue):
        return clause
    rest = [one for one in clause[1:] if one.text not in tongue.denials]
    return [replace(clause[0], text=opposite), *rest]


def _is_simple(phrases: list[_Phrase]) -> bool:
    """Whether each word's part is told by its phrase alone, so that phrases may change places."""
    openers = Counter(phrase.opener for phrase in phrases if phrase.opener)
    values = sum(token.is_value for phrase in phrases for token in phrase.words)
    return (
        len(phrases) <= _MOST_PHRASES
        and values <= 1
        and sum(phrase.is_predicate for phrase in phrases) <= 1
        and all(count == 1 for count in openers.values())
    )


class _Reader:
    """Reads one sentence into phrases; denial marks what it denies."""

    def __init__(self, sentence: list[Token], tongue: Tongue) -> None:
        self._tongue = tongue
        self._denied = _denies_all(sentence, tongue)
        self._sentence = sentence
        self._prefers = any(one.text.startswith(("prefer", "favo")) for one in sentence)
        self._core: tuple[str, ...] = ("not",) if self._denied else ()
        self._ahead: tuple[str, ...] = ()  # what a denial of the following words only adds
        self._marks: tuple[str, ...] = self._core
        self._done: list[_Phrase] = []
        self._phrase = _Phrase([], has_deed=self._is_command())

    def phrases(self) -> list[_Phrase]:
        """The phrases of the sentence."""
        for place, token in enumerate(self._sentence):
            text = token.text if token.kind == "word" else ""
            if not self._reads_function_word(text, place):
                self._read(token, text, place)
        self._open("")
        if self._denied and not any("not" in one.marks for one in self._words()):
            # A denial is never lost, wherever the sentence was cut.
            for phrase in self._done:
                phrase.words = [replace(one, marks=(*one.marks, "not")) for one in phrase.words]
        return self._done

    def _words(self) -> list[Token]:
        return [token for phrase in self._done for token in phrase.words]

    def _has_deed(self) -> bool:
        """Whether anything was done yet: only then `with` says by what."""
        return any(one.has_deed for one in (*self._done, self._phrase) if one.words)

    def _open(self, opener: str, marks: tuple[str, ...] = ()) -> None:
        self._done.append(self._phrase)
        self._phrase = _Phrase([], opener)
        self._marks = marks

    def _reads_function_word(self, text: str, place: int) -> bool:
        tongue = self._tongue
        if text in tongue.denials and text != "without":
            if not self._denied:
                self._ahead = ("not",)
                self._open("not", self._ahead)
            if text == "nolonger":
                self._phrase.words.append(Token(text))
        elif text == "to" and (not self._phrase.words or self._is_verb(place + 1)):
            pass  # an infinitive
        elif tongue.name == ENGLISH and (
            text in words("strong") or (text in _SAME_OPENER and self._has_deed())
        ):
            over = text == "over" and self._prefers
            mark = "not" if over else _SAME_OPENER.get(text, text)
            self._open(text, (*self._ahead, mark))
        elif text in tongue.starts:
            self._open(text, (text,))
        elif text in tongue.weak:
            self._open(text, self._ahead)
        else:
            return False
        return True

    def _read(self, token: Token, text: str, place: int) -> None:
        if text in words("all"):
            following = self._sentence[place + 1 : place + 2]
            is_period = any(
                one.text in words("periods") or one.kind == "number" for one in following
            )
            if place and text == "every":
                self._open("every", self._ahead)
            if is_period or self._denied:
                self._phrase.words.append(Token("every", marks=self._marks))
            return
        if self._denied and text == "may":
            return
        is_start = self._phrase.opener in self._tongue.starts
        if is_start and any(self._tongue.root(one.text) for one in self._phrase.words):
            self._open("", self._core)  # `antes del despliegue` + what is done then
        elif self._phrase.words and self._may_act() and self._is_predicate(place):
            is_purpose = place > 0 and self._sentence[place - 1].text == "to"
            self._open("", self._core)
            self._phrase.is_predicate = not is_purpose
            self._phrase.has_deed = True
        self._phrase.words.append(replace(token, marks=self._marks))

    def _may_act(self) -> bool:
        """Whether what is read now may be followed by what is done."""
        return self._marks == self._core or self._phrase.opener == "except"

    def _is_predicate(self, place: int) -> bool:
        """Whether a word is the verb of its sentence, by its agreement with the word before it."""
        token, before = self._sentence[place], self._sentence[place - 1]
        if token.kind != "word":
            return False
        if self._tongue.name != ENGLISH:
            return self._tongue.root(token.text) == self._tongue.use
        if before.text in ("never", "not") and self._is_verb(place):
            return True
        if token.text in words("be") or before.text in words("be"):
            return token.text in words("be")  # `is upgraded` is one
        if self._is_command():
            return False  # what follows is its object
        return token.text in ("has", "have") or (self._is_verb(place) and self._agrees(place))

    def _agrees(self, place: int) -> bool:
        """Whether a possible verb has the ending that the word before it asks for."""
        token, before = self._sentence[place], self._sentence[place - 1]
        if before.kind != "word" or before.text in words("auxiliary") | {"we", "you", "they", "i"}:
            return True
        is_singular = token.text.endswith("s") and not token.text.endswith("ss")
        after = self._sentence[place + 1].text if place + 1 < len(self._sentence) else ""
        if is_singular and self._is_verb(place + 1) and after not in words("be"):
            return after.endswith("s")  # else: `tests come`, the plural of a thing
        is_plural = before.text.endswith("s") and not before.text.endswith(("ss", "us", "is"))
        return is_singular != is_plural

    def _is_command(self) -> bool:
        if not self._sentence or self._sentence[0].kind != "word":
            return False
        if not self._sentence[0].text.endswith("s"):
            return self._is_verb(0)
        # `requires java`, but not `tests run` or `logs in s3`.
        following = self._sentence[1].text if len(self._sentence) > 1 else ""
        is_thing = self._is_verb(1) or following in words("strong") | words("weak")
        return self._is_verb(0) and not is_thing and following not in words("auxiliary")

    def _is_verb(self, place: int) -> bool:
        sentence = self._sentence
        if place >= len(sentence):
            return False
        text = sentence[place].text
        if text.endswith(_NOUN_ENDINGS):
            return False
        stems = (self._tongue.stem(text), self._tongue.root(text))
        return text in words("be") or any(stem in verb_stems() for stem in stems)


def _denies_all(sentence: list[Token], tongue: Tongue) -> bool:
    """Whether a denial concerns the whole sentence and not only the words after it."""
    auxiliary = words("auxiliary") | words("be")
    for place, token in enumerate(sentence):
        if token.kind != "word" or token.text not in tongue.denials or token.text == "without":
            continue
        before = sentence[place - 1].text if place else ""
        if tongue.name != ENGLISH or token.text in ("never", "nolonger") or before in auxiliary:
            return True
        if not place and token.text in ("not", "no", "none"):
            return True
    return False


def _voiced(phrases: list[_Phrase]) -> list[_Phrase]:
    """Phrases in which `secrets` + `are rotated` became `rotated secrets`.

    A form of `be` with anything else only ties two phrases together; its past is kept.
    """
    done: list[_Phrase] = []
    for phrase in phrases:
        first = phrase.words[0]
        if first.kind != "word" or first.text not in words("be"):
            done.append(phrase)
            continue
        verb = phrase.words[1] if len(phrase.words) > 1 else Token("")
        is_participle = verb.text.endswith("ed") or verb.text in words("irregular")
        if is_participle and verb.kind == "word" and done:
            subject = done[-1].words
            rest = phrase.words[2:]
            done[-1] = _Phrase([verb, *subject, *rest], is_predicate=True, has_deed=True)
        else:
            past = [replace(first, text="past")] if first.text in ("was", "were") else []
            done.append(_Phrase([*past, *phrase.words[1:]], is_predicate=True))
    return done


def _is_read(sentence: list[_Phrase]) -> bool:
    """Whether it is known what is done in a sentence; else the order of words is all there is."""
    return any(
        phrase.is_predicate or phrase.has_deed or any(one.text == "may" for one in phrase.words)
        for phrase in sentence
    )


def _arranged(phrase: _Phrase, tongue: Tongue, is_read: bool) -> tuple[Token, ...]:
    """The words of a phrase that carry weight; what is done first."""
    kept = _kept(phrase, tongue)
    is_told_apart = (
        len(kept) <= 2 or bool(phrase.opener) or (is_read and not _relates(kept, tongue))
    )
    if sum(one.is_value for one in kept) <= 1 and is_told_apart:
        kept.sort(key=lambda token: (token.kind != "deed", token.text, token.marks))
    return tuple(kept)


def _kept(phrase: _Phrase, tongue: Tongue) -> list[Token]:
    """The words of weight in their order; what is used is marked as such."""
    kept: list[Token] = []
    names_something = any(one.kind in ("flag", "name", "path") for one in phrase.words)
    for token in phrase.words:
        if names_something and token.text in words("classes"):
            continue  # `the -v flag`
        weighed = _weighed(token, tongue)
        if weighed is not None and weighed not in kept[-1:]:
            kept.append(weighed)
    if kept and kept[0].text == tongue.use and kept[0].kind == "word" and len(kept) > 1:
        return [replace(one, marks=(*kept[0].marks, "use")) for one in kept[1:]]
    if kept and phrase.has_deed and kept[0].kind == "word":
        kept[0] = replace(kept[0], kind="deed")
    return kept


def _relates(kept: list[Token], tongue: Tongue) -> bool:
    """Whether the order of a phrase's words may say who does what to whom."""
    if tongue.name != ENGLISH:
        return len(kept) > 3
    return len(kept) > 2 and any(one.text in verb_stems() for one in kept[1:])


def _part(phrase: _Phrase, token: Token) -> str:
    """What a word is in its sentence: a deed, what it is done to, a circumstance, or a subject."""
    if token.kind == "deed":
        return "deed"
    if phrase.opener:
        return "circumstance"
    return "object" if phrase.has_deed else "subject"


def _joined(phrases: list[tuple[Token, ...]]) -> list[tuple[Token, ...]]:
    """`tests` + `run` as `run tests`: a verb without an object says it of its subject."""
    done: list[tuple[Token, ...]] = []
    for phrase in phrases:
        alone = len(phrase) == 1 and phrase[0].kind == "deed"
        if alone and done and done[-1] and done[-1][0].marks == phrase[0].marks:
            done[-1] = tuple(sorted((*done[-1], *phrase), key=lambda one: (one.text, one.marks)))
        else:
            done.append(phrase)
    return done


def _weighed(token: Token, tongue: Tongue) -> Token | None:
    if token.kind not in ("word", "name"):
        return token
    if is_unspaced(token.text):
        return unspaced(token)
    if token.kind == "name":
        return replace(token, text=tongue.heads.get(token.text, token.text))
    root = tongue.root(token.text)
    return replace(token, text=root) if root else None
