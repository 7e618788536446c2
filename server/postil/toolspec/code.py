"""Tools on the code map."""

from __future__ import annotations

from postil.toolspec.declare import Parameter, Tool
from postil.toolspec.parameters import LIMIT, TOKENS

CODE_TOOLS: tuple[Tool, ...] = (
    Tool(
        "index_explore",
        "Explore around code",
        "What calls a function and what it calls, which types extend it, which files import its"
        " file. Call it before you change code that others may depend on.",
        (
            Parameter(
                "place", "string", "`path#Qualified.name`, a unique name, or a file.", required=True
            ),
            Parameter("depth", "integer", "Calls to follow.", default=1, minimum=1, maximum=4),
            TOKENS,
        ),
    ),
    Tool(
        "index_outline",
        "Outline of a file or folder",
        "Symbols of a file or folder with line ranges, imports and counts of tied memories. Call it"
        " before reading a long file, to read only the lines you need.",
        (
            Parameter("path", "string", "File or folder, from the project root.", required=True),
            TOKENS,
        ),
    ),
    Tool(
        "index_search",
        "Find code",
        "Find where code lives: give words or a question, get `path:line  name (kind): doc` lines."
        " Call it instead of grep or listing files when you look for the place of a behaviour.",
        (
            Parameter("query", "string", "Words, a name, or a question.", required=True),
            Parameter(
                "kind",
                "string",
                "What to find; `file` and `commit` also learn from what changed for what.",
                "symbol",
                choices=("symbol", "file", "import", "commit", "memory"),
            ),
            LIMIT,
            TOKENS,
        ),
    ),
    Tool(
        "index_status",
        "State of the code map",
        "How many files and symbols are mapped, how far the map lags behind the files, and what was"
        " skipped and why. Call it when a search misses code that you know exists.",
        (),
    ),
)
