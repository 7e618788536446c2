"""Names of methods that languages bring along: a call of one says little about who is called."""

from __future__ import annotations

import io
import re
from pathlib import PurePath

# Of Python they are asked for; of others the commonest are named.
_PYTHON = {
    name
    for one in (str, bytes, dict, list, set, tuple, int, float, io.StringIO, io.FileIO, re.Pattern,
                re.Match, PurePath)
    for name in dir(one)
    if not name.startswith("_")
}  # fmt: skip
_OTHERS = """
    apply assign at bind call catch charAt charCodeAt clear clone collect concat contains create delete
    emit empty entries equals error every exec expect fill filter finally find findIndex first flat
    flatMap forEach format from get getOrDefault has hasOwnProperty hashCode includes indexOf insert
    into_iter isArray isEmpty iter iterator join keys last len length listen log map match max min
    next observe off on once open parse pipe poll pop push put read reduce ref reject remove replace
    resolve reverse run send set shift size slice some sort splice split start startsWith stop
    stringify subscribe substring sum test then toArray toLowerCase toString toUpperCase trim unwrap
    unshift update value valueOf values with write acquire release debug info warning exception
    critical
""".split()
COMMON_METHODS = frozenset(_PYTHON) | frozenset(_OTHERS)
