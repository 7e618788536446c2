"""A language model that a person set up: any OpenAI-compatible endpoint. Never asked by default."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from postil.errors import StoreError

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers: the base URL (with `/v1`), the model, a key or ""."""

    url: str
    model: str
    key: str = ""


def ask(endpoint: Endpoint, system: str, user: str) -> dict[str, Any]:
    """The JSON object in the model's answer; {} when there is none.

    StoreError when the endpoint does not answer; its message holds neither key nor password.
    """
    import httpx2 as httpx

    body = {
        "model": endpoint.model,
        "temperature": 0,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
    }
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    try:
        answer = httpx.post(
            f"{endpoint.url.rstrip('/')}/chat/completions",
            json=body,
            headers=headers,
            timeout=_SECONDS,
        )
        answer.raise_for_status()
        content = answer.json()["choices"][0]["message"]["content"]
        found = re.search(r"\{.*\}", content, re.DOTALL)
        told = json.loads(found[0]) if found else {}
    except httpx.HTTPError as error:
        raise StoreError(
            f"the judge at {_host(endpoint.url)} did not answer ({type(error).__name__})",
            hint="check judge.url; nothing was changed",
        ) from None
    except (KeyError, IndexError, TypeError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def quoted(text: str, name: str, most: int) -> str:
    """A text as data between tags of a name, which it cannot end itself."""
    return f"<{name}>{text.replace('<', chr(0x2039))[:most]}</{name}>"


def _host(url: str) -> str:
    return re.sub(r"^(\w+://)[^/@]*@", r"\1", url).split("?")[0]
