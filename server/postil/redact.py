"""Secrets out of text: one place for every way in.

Formats come from detect-secrets and the list below; what has no format of its own is known by what
stands before it (a name, a header, a sentence) and by its entropy.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

MASK = "[secret:{}#{}]"
_OPENED = re.compile(r"\[secret:[\w-]*$")
_MASKED = re.compile(r"\[secret:[\w-]+#\d+\]")

# Formats that detect-secrets 1.5 does not know, or knows in part (a key's header, not its body).
_FORMATS = (
    (
        "private-key",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----.*?"
        r"(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("age-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}"),
    ("anthropic", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai", r"\bsk-(?!x{8})(?:proj-)?[A-Za-z0-9_-]{20,}"),
    ("github", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})"),
    ("gitlab", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{18,}"),
    ("google", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("google", r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("slack", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("slack", r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/_-]{20,}"),
    ("stripe", r"\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{20,}"),
    ("sendgrid", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("npm", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("pypi", r"\bpypi-[A-Za-z0-9_-]{30,}"),
    ("huggingface", r"\bhf_[A-Za-z0-9]{30,}"),
    ("digitalocean", r"\bdo[opr]_v1_[0-9a-f]{40,}"),
    ("telegram", r"(?<![\w:])\d{8,10}:AA[A-Za-z0-9_-]{30,}"),
    ("discord", r"\b[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
    ("jwt", r"(?<![\w-])eyJ[\w-]{8,8000}\.eyJ[\w-]{8,}(?:\.[\w-]{8,})?"),
)
# Detectors that judge by entropy or by address flag commit ids, digests and host names; the last
# three find less than the formats above.
_NOISY = {
    "Base64HighEntropyString",
    "HexHighEntropyString",
    "IPPublicDetector",
    "KeywordDetector",
    "BasicAuthDetector",
    "PrivateKeyDetector",
    "JwtTokenDetector",
    "NpmDetector",  # quadratic in a text of slashes; ours finds the same
}
# What a secret is called. The bounds keep every search linear in long runs of word characters.
_NAME = (
    r"(?:pass(?:word|wd|phrase|code|wort)|kennwort|(?<![a-z])pass|(?<![a-z])pwd|secret|token"
    r"|(?:api|access|account|private|preshared|encryption|signing|master|license|deploy|ssh|auth)"
    r"[_ -]?key|credentials?|contrase[ñn]a|mot de passe|senha|wachtwoord|has[łl]o"
    r"|\u043f\u0430\u0440\u043e\u043b\u044c|密码|密碼|口令|パスワード|비밀번호|암호)"
)
_VALUE = r"(?:\"(?P<double>[^\"\n]{4,400})\"|'(?P<single>[^'\n]{4,400})'|`(?P<code>[^`\n]{4,400})`)"
_SITUATIONS = (
    # scheme://user:password@host, the user and the host stay
    (
        "password",
        r"(?<=://)[^\s:/@\"']{0,100}:(?!\d{1,5}/)(?P<open>[^\s\"'<>]{1,200}?)(?=@[\w.\[-]+(?:[:/?#\s\"'`),;]|$))",
    ),
    (
        "header",
        r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|token|digest|apikey|bot)\s+)?"
        r"(?P<open>[\w.~+/=-]{8,})",
    ),
    ("header", r"(?i)\b(?:bearer)\s+(?P<open>[\w.~+/-]{20,}=*)"),
    (
        "session",
        r"(?i)\b(?:php|j|asp\.net_)?(?:connect\.)?(?:sess(?:ion)?[_-]?(?:id|key)?|sid|csrf[_-]?token"
        r"|xsrf-token|remember[_-]?token)=(?P<open>[^\s;,\"'&]{16,})",
    ),
    (
        "option",
        r"(?i)(?<!\S)--?[a-z-]{0,20}(?:password|passwd|token|secret|(?:api|account|access)-key)"
        r"[= ](?P<bare>[\"']?[^\s\"'-][^\s\"']{5,})",
    ),
    ("option", r"(?<!\S)(?:-u|--user)[ =][\"']?[^\s:\"']{1,64}:(?!//)(?P<open>[^\s:\"']{4,})"),
    (
        "option",
        r"(?<!\S)(?:mysql\w*|sshpass|docker login|redis-cli|mongo\w*|psql|smbclient|curl)\b"
        r"[^\n|]{0,80}?\s-[pa]\s?[\"']?(?P<weak>[^\s\"'-][^\s\"']{3,})",
    ),
    # <password>...</password>, whatever the tag's namespace
    ("element", rf"(?i)<[\w:.-]{{0,40}}?{_NAME}[\w:.-]{{0,20}}>(?P<bare>[^<\s]{{4,400}})</"),
    (
        "pgpass",
        r"(?m)^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<open>[^\s:]{6,})",
    ),
    ("netrc", r"(?i)\b(?:login\s+\S{1,100}\s+)password\s+(?P<open>\S{4,})"),
    (
        "assigned",
        rf"(?i)(?<![\w.-])[\w.-]{{0,40}}?{_NAME}s?(?:[_.-]?[\w.-]{{0,20}})?"
        r"(?:\s?\([^)\n]{0,40}\))?[\"'`*\])]{0,4}(?:\s*:\s*&?(?:'static )?str(?:ing)?)?"
        rf"[^\S\n]*(?::=|=>|->|→|==?|:)[^\S\n]*\**[^\S\n]*(?:{_VALUE}|(?P<bare>[^\s\"'`,;]{{4,}}))",
    ),
    (
        "told",
        rf"(?i){_NAME}s?\b[^.\n:=]{{0,50}}?\s(?:is|was|are|to|as|now|es|est|ist|lautet|era|é|jest)\s+"
        rf"(?:{_VALUE}|(?P<weak>[^\s\"'`]{{6,}}))",
    ),
    (
        "told",
        r"(?:密码|密碼|口令|パスワード|비밀번호|암호)\s?(?:是|为|為|は|が|은|는)\s?[「『“\"]?"
        r"(?P<weak>[!-~]{6,100})",
    ),
    (
        "told",
        rf"(?i)\b(?:use|with|using|enter|type)\s[^.\n]{{0,20}}?{_NAME}\s+(?:{_VALUE}|(?P<weak>[^\s\"'`]{{6,}}))",
    ),
    (
        "told",
        r"(?i)\b(?:log ?in|sign ?in|login|credentials|anmelden|connect)\b[^\n]{0,40}?"
        r"\b[\w.@-]{2,40}\s?/\s?(?:`(?P<code>[^`\n]{4,100})`|(?P<weak>[^\s/\"'`]{6,}))",
    ),
)
_GROUPS = ("open", "bare", "double", "single", "code", "weak")
# `token: str`, `key = os.environ["X"]`, `secret = get_secret()`, `settings.SECRET_KEY`
_REFERENCE = re.compile(
    r"(?i)^(?:none|null|nil|true|false|str|string|int|bytes|bool|any|optional|undefined|required"
    r"|missing|empty|self|void|char|varchar|text"
    r"|[\w.]*(?:environ|getenv|process\.env|config|settings|self|args|options|request|params|vault"
    r"|secrets)(?:[.\[(].*)?"
    r"|[a-z_][\w.:]*\(.*|[a-z_]+(?:\.[a-z_]+)+|[a-z]+(?:_[a-z]+)+\)?|[a-z_]\w*\[.*"
    r"|varchar\(.*|optional\[.*|&?str\b.*)$"
)
# `$NAME`, `${name}`, `%NAME%`, `{{ name }}`, `<name>`; or nothing but words that stand for a value.
_PLACEHOLDER = re.compile(
    r"^(?:[\[\](){}<>x*._•…#-]+|\$(?:[A-Z][A-Z0-9_]*|[a-z][a-z_]*\d?)|\$[\[({].*|%[A-Z_]+%|%\(\w+\)s|%s"
    r"|@\w+|\{\{.*|<.*>?|.*\$\{.*|.*(?:\.\.\.|…|\*\*\*\*)"
    r"|(?i:(?:(?:your|my|our|the|an?|some|this|real|new|old|example|placeholder|redacted|changeme"
    r"|change|dummy|insert|replace|here|todo|fixme|key|token|secret|password|passwd|pass|pwd|api"
    r"|access|value|goes|with|me|x{3,}|test|fake|sample|hidden|removed|user|aws|db)[-_ .]*)++"
    r"[>\])}]*)"
    r"|\\?\"\"|'')$"
)
_TOKEN = re.compile(r"(?<![\w/+=.@#%:-])(?!sha\d|https?:)[\w+/=-]{20,200}(?![\w/+-])")
_CONTEXT = re.compile(rf"(?i){_NAME}|\b(?:webhook|hmac|bearer|auth)\b")
_DIGEST = re.compile(
    r"(?i)\b(?:commit|sha\d*|hash|digest|revision|rev|checksum|md5|etag|blob|tree|fixed in"
    r"|integrity|public|fingerprint|uuid|address|pubkey|certificate|ssh-(?:rsa|ed25519)|id)\b|data:|sha\d+[:-]"
)
_CARD = re.compile(r"(?<![\w.-])[3-6]\d(?:[ -]?\d){11,17}(?![\w-]|\.\d)")
# Without one of these no format and no situation can match: most texts have neither.
_LONG_RUN = re.compile(r"[\w+/=.:@-]{16}|-----BEGIN")
_TELLING = [
    "pass",
    "pwd",
    "kenn",
    "secret",
    "token",
    "key",
    "credential",
    "contrase",
    "senha",
    "wachtwoord",
    "hasł",
    "haslo",
    "mot",
    "de",
    "пароль",
    "密",
    "口令",
    "パス",
    "비밀",
    "암호",
    "://",
    "-u",
    "-p",
    "-a",
    "authorization",
    "bearer",
    "sess",
    "sid=",
    "csrf",
    "xsrf",
    "log",
    "login",
    "sign",
    "anmelden",
    "connect",
    "webhook",
    "hmac",
    "auth",
    ":5",
    ":3",
    ":6",
    ":*:",
    ":1",
    ":2",
    ":4",
    ":7",
    ":8",
    ":9",
]
# Bits for each character; random base 64 of 40 characters has 4.8 on average, words have 3.9.
_ENTROPY = 4.2
_HEX_ENTROPY = 3.0
_BEFORE = 100


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without secrets, and the kinds of secret that were taken out, in order."""

    text: str
    found: tuple[str, ...] = ()

    @property
    def only_secret(self) -> bool:
        """Whether next to nothing is left once the secrets are gone."""
        rest = _MASKED.sub("", self.text)
        return bool(self.found) and len(re.findall(r"\w", rest)) < 8


class _Masks:
    """The names that the secrets of one text get: `[secret:github#1]`, the same for the same."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: Counter[str] = Counter()

    def mask(self, kind: str, secret: str) -> str:
        """What stands for a secret."""
        if (kind, secret) not in self._numbers:
            self._counts[kind] += 1
            self._numbers[kind, secret] = self._counts[kind]
        self.found.append(kind)
        return MASK.format(kind, self._numbers[kind, secret])


def redact(text: str) -> Redacted:
    """Replace each secret in `text` by `[secret:KIND#N]`. Never fails, keeps all other text."""
    if len(text) < 6:
        return Redacted(text)
    masks = _Masks()
    if _LONG_RUN.search(text):
        for kind, pattern in _formats():
            text = pattern.sub(_known(kind, masks), text)
    lower = text.lower()
    if any(hint in lower for hint in _TELLING):
        for kind, pattern in _situations():
            text = pattern.sub(_situated(kind, masks), text)
        if _CONTEXT.search(text):
            text = _TOKEN.sub(_random(text, masks), text)
    text = _CARD.sub(lambda match: _card(match, masks), text)
    return Redacted(text, tuple(masks.found))


def _known(kind: str, masks: _Masks) -> Callable[[re.Match[str]], str]:
    return lambda match: masks.mask(kind, match[0]) if not _MASKED.search(match[0]) else match[0]


def _situated(kind: str, masks: _Masks) -> Callable[[re.Match[str]], str]:
    """Mask the value of a match, if it is one; the kind says what it is, not how it was found."""

    def replace(match: re.Match[str]) -> str:
        groups = match.groupdict()
        group = next((one for one in _GROUPS if groups.get(one)), "")
        secret = groups.get(group) or ""
        if group in ("bare", "weak", "open"):
            secret = secret.rstrip(".,;:!?)]}>*\"'")
        before = match.string[max(match.start(group or 0) - 40, 0) : match.start(group or 0)]
        is_mask = _OPENED.search(before)
        if (
            len(secret) < 4
            or is_mask
            or "[secret" in secret
            or not _is_secret(secret, group, match)
        ):
            return match.group(0)
        name = "password" if re.search(r"(?i)pass|pwd|kenn|contra|senha", match[0]) else kind
        names = {"assigned": "token", "told": "token", "option": "token", "element": "token"}
        mask = masks.mask(names.get(name, name), secret)
        start = match.start(group) - match.start()
        return match[0][:start] + mask + match[0][start + len(secret) :]

    return replace


def _is_secret(value: str, group: str, match: re.Match[str]) -> bool:
    """Whether a value in a telling place is a secret, and does not only stand for one."""
    if _PLACEHOLDER.match(value):
        return False
    if group == "open":
        return True
    if _REFERENCE.match(value):
        return False
    if group == "weak":
        return _is_mixed(value) or value.count("-") >= 3
    if group in ("double", "single", "code"):
        # A quoted sentence is prose, a quoted name of a setting a reference.
        return len(value) >= 6 and not (value.count(" ") >= 4 or re.fullmatch(r"[A-Z_]+", value))
    if value.isalpha() and re.search(r":\s+\S*$", match[0]):
        return False  # `the secret: patience`
    return len(value) >= 6 or _is_mixed(value)


def _is_mixed(value: str) -> bool:
    """Letters with digits or with signs inside: no word, no date, no version, no path."""
    if re.fullmatch(r"v?[\d.:/+-]+[a-z%]{0,3}|[\w-]+(?:[./][\w-]+)+/?|\w+['\u2019]\w+", value):
        return False
    has = [any(test(one) for one in value) for test in (str.islower, str.isupper, str.isdigit)]
    signs = bool(re.search(r"[^\w\s.'\u2019/-]", value[:-1]))
    return (has[2] and (has[0] or has[1])) or (signs and has[0] and has[1])


def _random(text: str, masks: _Masks) -> Callable[[re.Match[str]], str]:
    """Mask a token that looks random and stands close behind a word for secrets."""

    def replace(match: re.Match[str]) -> str:
        token = match[0]
        before = text[max(match.start() - _BEFORE, 0) : match.start()]
        if not _CONTEXT.search(before) or _DIGEST.search(before[-40:]) or not _looks_random(token):
            return token
        return masks.mask("token", token)

    return replace


def _looks_random(token: str) -> bool:
    if re.fullmatch(r"[0-9a-fA-F]+", token):
        return len(token) >= 32 and entropy(token) >= _HEX_ENTROPY
    has = [any(test(one) for one in token) for test in (str.islower, str.isupper, str.isdigit)]
    return all(has) and entropy(token) >= _ENTROPY and not _is_sequence(token)


def _is_sequence(token: str) -> bool:
    from detect_secrets.filters.heuristic import is_potential_uuid, is_sequential_string

    return bool(is_sequential_string(token) or is_potential_uuid(token)) or (
        "abcdefghij" in token.lower()
    )


def entropy(text: str) -> float:
    """Shannon's entropy of a text's characters, in bits for each."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


def _card(match: re.Match[str], masks: _Masks) -> str:
    digits = [int(one) for one in match[0] if one.isdigit()]
    doubled = [2 * one - 9 * (one > 4) for one in digits[-2::-2]]
    is_valid = (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 3
    return masks.mask("card", match[0]) if is_valid else match[0]


@cache
def _formats() -> tuple[tuple[str, re.Pattern[str]], ...]:
    own = [(name, re.compile(pattern, re.DOTALL)) for name, pattern in _FORMATS]
    return (*own, *_library_patterns())


@cache
def _situations() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern)) for kind, pattern in _SITUATIONS)


def _library_patterns() -> list[tuple[str, re.Pattern[str]]]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    patterns = []
    detectors: dict[str, Any] = get_mapping_from_secret_type_to_class()
    for title, plugin in sorted(detectors.items()):
        if plugin.__name__ in _NOISY or not hasattr(plugin, "denylist"):
            continue
        name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        patterns += [(name, expression) for expression in plugin.denylist]
    return patterns
