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
        r"(?i)\b[\w.-]*(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)"
        r"[\w.-]*[\"']?\s*(?::=|=>|=|:)\s*[\"']?(?P<value>[^\s\"',;]{8,})",
    ),
    ("bearer", r"(?i)\bbearer\s+(?P<value>[A-Za-z0-9._~+/-]{20,}=*)"),
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
            group = "value" if "value" in match.re.groupindex else 0
            secret = match.group(group)
            if secret.startswith("[redacted:") or (group and _PLACEHOLDER.match(secret)):
                return match.group(0)
            found.append(name)
            start, end = match.start(group) - match.start(), match.end(group) - match.start()
            whole = match.group(0)
            return whole[:start] + MASK.format(name) + whole[end:]

        text = pattern.sub(mask, text)
    return Redacted(text, tuple(found))


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
