"""Secrets out of text: one place for every way in. Detectors come from detect-secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

MASK = "[redacted:{}]"

# Formats that detect-secrets 1.5 does not know, or knows in part (a key's header, not its body).
_OWN = (
    (
        "private-key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai-key", r"\bsk-(?:proj-)?[A-Za-z0-9_-]{20,}"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{35}\b"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("url-password", r"(?<=://)[^\s:/@]+:[^\s/@]+(?=@)"),
    (
        "assigned-secret",
        # The bounds keep the search linear in long runs of word characters.
        r"(?i)(?<![\w.-])[\w.-]{0,40}?(?:password|passwd|passphrase|secret|api[_-]?key|private[_-]?key"
        r"|(?<![a-z])pass|(?<![a-z])pwd|(?<![a-z])token)(?:s?[_.-]?[\w.-]{0,20})?"
        r"[\"']?\s*(?::=|=>|==?|:)\s*"
        r"(?:\"(?P<value>[^\"\n]{6,200})\"|'(?P<quoted>[^'\n]{6,200})'|(?P<bare>[^\s\"',;]{6,}))",
    ),
    ("bearer", r"(?i)\bbearer\s+(?P<value>[A-Za-z0-9._~+/-]{20,}=*)"),
    (
        "basic-auth",
        r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?basic\s+(?P<value>[A-Za-z0-9+/]{8,}=*)",
    ),
    (
        "password-option",
        r"(?i)(?<!\S)--(?:password|passwd|token|secret)[= ](?P<value>[^\s\"'-]\S{5,})",
    ),
    ("password-option", r"(?<!\S)(?:-u|--user)[ =](?P<value>[^\s:]{1,64}:[^\s:]{4,})"),
)
# Detectors that judge by entropy or by address flag commit ids, digests and host names.
_NOISY = {
    "Base64HighEntropyString",
    "HexHighEntropyString",
    "IPPublicDetector",
    "KeywordDetector",
    "BasicAuthDetector",
    "PrivateKeyDetector",
    "JwtTokenDetector",
}
# `token: str`, `key = os.environ["X"]`, `password=None`, `secret = get_secret()`, `${TOKEN}`
_REFERENCE = re.compile(
    r"(?i)^(?:none|null|true|false|str|string|int|bytes|optional|undefined|required|missing|empty"
    r"|[\w.]*(?:environ|getenv|config|settings|self|args|options|request|params|vault)\b.*"
    r"|[a-z_][\w.]*\(.*|\$.*|[a-z_]+(?:\.[a-z_]+)+|[a-z]+(?:_[a-z]+)+\)?"
    r"|[a-z_]\w*\[.*)$"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[x*.<>{}$_\[\]-]+|.*(?:example|placeholder|redacted|your[_-]).*)$"
)


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without secrets, and the kinds of secret that were taken out, in order."""

    text: str
    found: tuple[str, ...] = ()

    @property
    def only_secret(self) -> bool:
        """Whether next to nothing is left once the secrets are gone."""
        rest = re.sub(r"\[redacted:[\w-]+\]", "", self.text)
        return bool(self.found) and len(re.findall(r"\w", rest)) < 8


def redact(text: str) -> Redacted:
    """Replace each secret in `text` by `[redacted:KIND]`. Never fails, keeps all other text."""
    if not text:
        return Redacted(text)
    found: list[str] = []
    for name, pattern in _patterns():

        def mask(match: re.Match[str], name: str = name) -> str:
            named = [one for one in ("value", "quoted", "bare") if match.groupdict().get(one)]
            group = named[0] if named else 0
            secret = match.group(group)
            # `The secret: patience` is prose.
            prose = group == "bare" and secret.isalpha() and match.group(0).endswith(": " + secret)
            if "[redacted:" in secret or prose or (group and _is_no_secret(secret)):
                return match.group(0)
            found.append(name)
            start, end = match.start(group) - match.start(), match.end(group) - match.start()
            whole = match.group(0)
            return whole[:start] + MASK.format(name) + whole[end:]

        text = pattern.sub(mask, text)
    return Redacted(text, tuple(found))


def _is_no_secret(value: str) -> bool:
    """Whether an assigned value only stands for one: a placeholder, a type, a call, a reference."""
    return bool(_PLACEHOLDER.match(value) or _REFERENCE.match(value))


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    own = [(name, re.compile(pattern, re.DOTALL)) for name, pattern in _OWN]
    return (*own, *_library_patterns())


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
