"""Tools of the full profile: for agents that look after memory, not only use it."""

from __future__ import annotations

from postil.toolspec.declare import Parameter, Profile, Tool
from postil.toolspec.parameters import ID, KINDS, LIMIT, SCOPES, TOKENS

_FULL = Profile.FULL

MORE_TOOLS: tuple[Tool, ...] = (
    Tool(
        "memory_diary",
        "Write in your diary",
        "Add a line to your own diary: it is never merged with another, and no other agent reads"
        " it. Call it for what you want to know in your next session about how you work here.",
        (Parameter("entry", "string", "What to note.", required=True),),
        read_only=False,
        idempotent=False,
        profile=_FULL,
    ),
    Tool(
        "memory_fact_assert",
        "State a fact",
        "State that a subject has an object for a predicate, from a time on; what it had before"
        " ends there. Call it for what changes over time: versions, owners, addresses of services.",
        (
            Parameter("subject", "string", "The thing.", required=True),
            Parameter("predicate", "string", "What of it, such as `runs on`.", required=True),
            Parameter("object", "string", "The value.", required=True),
            Parameter("since", "string", "When it began: a date; now by default."),
            Parameter("also", "boolean", "It holds beside others, and ends none.", False),
        ),
        read_only=False,
        profile=_FULL,
    ),
    Tool(
        "memory_facts",
        "Facts on a thing",
        "What holds of a subject, what held at a time, or the whole timeline. Call it when a"
        " question is about now or then.",
        (
            Parameter("subject", "string", "The thing, or another name of it.", required=True),
            Parameter("predicate", "string", "Only this."),
            Parameter("at", "string", "What held then: a date; now by default."),
            Parameter("all", "boolean", "The whole timeline.", False),
        ),
        profile=_FULL,
    ),
    Tool(
        "memory_forget_many",
        "Forget several memories",
        "Forget memories in two steps: without a token it shows what would go and gives one, with"
        " it exactly that is done. Call it when the user asks for several at once, and show them"
        " the list in between.",
        (
            Parameter("ids", "array", "The ids in brackets.", required=True),
            Parameter("token", "string", "The token of the first step."),
        ),
        read_only=False,
        destructive=True,
        idempotent=False,
        profile=_FULL,
    ),
    Tool(
        "memory_get",
        "Read a memory",
        "A memory in full, with its provenance. Call it when a line of a search is not enough.",
        (ID,),
        profile=_FULL,
    ),
    Tool(
        "memory_promote",
        "Propose for the team",
        "Propose that a memory holds for the whole team: a person decides. Call it for a rule that"
        " the user says is everybody's.",
        (ID,),
        read_only=False,
        profile=_FULL,
    ),
    Tool(
        "memory_recent",
        "Newest memories",
        "The newest memories, newest first. Call it to see what was written since you last looked.",
        (LIMIT, Parameter("scopes", "array", "Only these scopes.", choices=SCOPES)),
        profile=_FULL,
    ),
    Tool(
        "memory_review",
        "Review a change",
        "Which memories a change concerns, and which rules it breaks. Call it before you commit or"
        " hand over.",
        (
            Parameter(
                "revisions", "string", "`A..B`, `A...B` or `A`; without it, changes since HEAD."
            ),
            Parameter("staged", "boolean", "What is staged for the next commit.", False),
            TOKENS,
        ),
        profile=_FULL,
    ),
    Tool(
        "memory_supersede",
        "Replace a memory",
        "Replace a memory by what holds now: kind, scope, tags and places are taken over. Call it"
        " when a decision was changed.",
        (
            ID,
            Parameter("what", "string", "What holds instead.", required=True),
            Parameter("why", "string", "The reason."),
        ),
        read_only=False,
        profile=_FULL,
    ),
    Tool(
        "memory_undo",
        "Take back this session",
        "Take back all that you wrote and changed in this session; what others changed since is"
        " left. Call it when the user says that it was all wrong.",
        (),
        read_only=False,
        destructive=True,
        profile=_FULL,
    ),
    Tool(
        "memory_write_many",
        "Remember several",
        "Store several statements in one call; each has its own result, and one that is refused"
        " does not stop the others. Call it after a long talk with many decisions.",
        (
            Parameter(
                "memories",
                "array",
                "The statements.",
                required=True,
                rows=(
                    Parameter("what", "string", "The statement.", required=True),
                    Parameter("why", "string", "The reason."),
                    Parameter("kind", "string", "What sort of statement.", choices=KINDS),
                    Parameter("where", "array", "Places it is about."),
                    Parameter("tags", "array", "A few words to filter by."),
                    Parameter("scope", "string", "Where it holds.", choices=SCOPES),
                    Parameter("supersedes", "array", "Ids of memories that it replaces."),
                ),
            ),
        ),
        read_only=False,
        profile=_FULL,
    ),
    Tool(
        "settings_get",
        "Read settings",
        "The settings in force and where each came from. Only a person changes them. Call it when"
        " something behaves otherwise than you expect.",
        (Parameter("name", "string", "One setting; without it all."),),
        profile=_FULL,
    ),
)
