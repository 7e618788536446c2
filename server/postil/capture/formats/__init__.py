"""One module for each client's transcript format."""

from __future__ import annotations

from postil.capture.formats import claude
from postil.capture.transcript import Parse

FORMATS: dict[str, Parse] = {"claude": claude.parse}
