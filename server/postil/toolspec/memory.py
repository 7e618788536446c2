"""Tools on memories and conversations, for every day."""

from __future__ import annotations

from postil.toolspec.declare import Parameter, Tool
from postil.toolspec.parameters import ID, KINDS, LIMIT, SCOPES, TOKENS

MEMORY_TOOLS: tuple[Tool, ...] = (
    Tool(
        "episode_get",
        "Read a conversation",
        "A turn of an earlier conversation in full, with its neighbours. Call it on an id that"
        " begins with `e-`, to see what was really said.",
        (
            ID,
            Parameter("around", "integer", "Turns before and after.", 2, minimum=0, maximum=20),
            TOKENS,
        ),
    ),
    Tool(
        "episode_search",
        "Search conversations",
        "Search earlier conversations alone, word for word. Call it when asked what was said or"
        " tried before, and memory_search knows nothing.",
        (
            Parameter("query", "string", "A question or words.", required=True),
            Parameter("since", "string", "From then on: a date, or `last week`.", daily=False),
            Parameter("until", "string", "Up to then.", daily=False),
            LIMIT,
            TOKENS,
        ),
    ),
    Tool(
        "memory_brief",
        "Brief for this session",
        "Standing rules, latest decisions and the state of the code map. Call it once at the start"
        " of a task, unless a brief was already given.",
        (
            Parameter(
                "tokens",
                "integer",
                "Most tokens the answer may cost (about 300).",
                minimum=50,
                maximum=20_000,
            ),
        ),
    ),
    Tool(
        "memory_forget",
        "Forget a memory",
        "Take a memory that is wrong or unwanted out of every answer. Call it when the user asks."
        " When something else is true now, write that with `supersedes` instead.",
        (ID,),
        read_only=False,
        destructive=True,
    ),
    Tool(
        "memory_history",
        "History of a memory",
        "What a memory said before, who changed it and when, what replaced it. Call it when you"
        " doubt a memory, or are asked how a decision came about.",
        (ID,),
    ),
    Tool(
        "memory_keep",
        "Keep a memory",
        "Pin a memory, so that it comes first; `keep` false lets it go. Call it for what the user"
        " calls important.",
        (ID, Parameter("keep", "boolean", "False: no longer pinned.", True)),
        read_only=False,
    ),
    Tool(
        "memory_search",
        "Search memory",
        "Search decisions, rules, facts, lessons and earlier conversations of this project. Call it"
        " before you decide, change established code or ask the user, and for any question about"
        " why something is as it is. Cite the ids in brackets.",
        (
            Parameter("query", "string", "A question or words.", required=True),
            Parameter("kinds", "array", "Only these kinds.", choices=KINDS),
            Parameter("tags", "array", "Only memories with all these tags.", daily=False),
            Parameter("path", "string", "Only memories tied to this file or folder."),
            Parameter("scopes", "array", "Only these scopes.", choices=SCOPES),
            Parameter("about", "array", "Only memories about one of these things.", daily=False),
            Parameter(
                "authors", "array", "Only by these: `person`, `agent`, `agent:NAME`.", daily=False
            ),
            Parameter(
                "tiers",
                "array",
                "Only these tiers.",
                choices=("core", "long", "short"),
                daily=False,
            ),
            Parameter("since", "string", "Only from then on: a date, or `last week`."),
            Parameter("until", "string", "Only up to then.", daily=False),
            Parameter(
                "time",
                "string",
                "What `since` and `until` mean.",
                "created",
                choices=("created", "updated", "valid"),
                daily=False,
            ),
            Parameter("episodes", "boolean", "Search earlier conversations too.", True),
            Parameter(
                "history", "boolean", "Also what was replaced or archived.", False, daily=False
            ),
            LIMIT,
            TOKENS,
        ),
    ),
    Tool(
        "memory_sense",
        "What asks to be kept",
        "Which sentences of a message are a standing rule, a correction or a decision. Call it on"
        " the user's own words when you are unsure; write down what it finds with memory_write.",
        (Parameter("text", "string", "What the user wrote.", required=True),),
    ),
    Tool(
        "memory_update",
        "Correct a memory",
        "Change the wording, reason, kind or tags of a memory; earlier versions are kept. Call it"
        " to correct a slip; what is no longer true is replaced by memory_write with `supersedes`.",
        (
            ID,
            Parameter("what", "string", "The statement, if it changes."),
            Parameter("why", "string", "The reason, if it changes."),
            Parameter("how", "string", "The way it is done, if that changes.", daily=False),
            Parameter("kind", "string", "The kind, if it changes.", choices=KINDS),
            Parameter("tags", "array", "All tags, if they change."),
            Parameter("importance", "number", "0 to 1.", minimum=0, maximum=1, daily=False),
        ),
        read_only=False,
    ),
    Tool(
        "memory_write",
        "Remember",
        "Store one decision, rule, fact, lesson, plan or preference, with its reason. Call it when"
        " something is decided, when the user corrects you or states a standing rule, and when you"
        " learn what was not obvious. One statement a call; never secrets.",
        (
            Parameter("what", "string", "The statement, understandable alone.", required=True),
            Parameter("why", "string", "The reason."),
            Parameter("kind", "string", "What sort of statement.", "note", choices=KINDS),
            Parameter(
                "where",
                "array",
                "Places it is about: `path` or `path#Symbol.name`; else what its text names.",
            ),
            Parameter(
                "breaks",
                "string",
                "For a rule that can be checked, what breaks it: lines of `regex: ...`,"
                " `query python: (node) @match` (tree-sitter), `glob: src/**` (where).",
                daily=False,
            ),
            Parameter("tags", "array", "A few words to filter by."),
            Parameter(
                "scope",
                "string",
                "`user`: all projects; `team`: once a person approves; `session`: only now.",
                "project",
                choices=SCOPES,
            ),
            Parameter("importance", "number", "0 to 1.", 0.5, minimum=0, maximum=1, daily=False),
            Parameter("supersedes", "array", "Ids of memories that this one replaces."),
            Parameter("about", "array", "Names of the things it is about.", daily=False),
            Parameter("who", "string", "Who decided or said it.", daily=False),
            Parameter("when", "string", "When it happened: a date, or `yesterday`."),
            Parameter("until", "string", "When it stops holding, if that is known.", daily=False),
            Parameter("how", "string", "How it is done, in short.", daily=False),
            Parameter("source", "string", "The URL, if it comes from the web.", daily=False),
            Parameter(
                "request",
                "string",
                "Your own name for this write: again, it is no other.",
                daily=False,
            ),
        ),
        read_only=False,
    ),
)
