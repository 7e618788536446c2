"""Every setting there is. The only list: loading, documentation and checks are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Value = str | int | float | bool | tuple[str, ...]


class Trust(Enum):
    """Who may set a setting."""

    PROJECT = "project"  # harmless: a file inside a repository may set it
    USER = "user"  # sends, runs or stores something: only the person's own file or environment


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its dotted name, default (which gives the type), help and who may set it."""

    name: str
    default: Value
    help: str
    trust: Trust = Trust.USER
    choices: tuple[str, ...] = ()
    maximum: int = 20_000

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "POSTIL_" + self.name.upper().replace(".", "_")


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "embedder",
        "auto",
        "How meaning is compared.",
        choices=("auto", "static", "hash", "none", "local", "openai", "ollama", "voyage", "cohere"),
    ),
    Setting("embedder.folder", "", "A folder with a transformer: model.onnx, tokenizer.json, ..."),
    Setting("embedder.model", "", "The model of `local` or of a server."),
    Setting("embedder.download", False, "Whether `local` may download its model."),
    Setting("embedder.url", "", "The base URL of the server, where it is not the usual one."),
    Setting("embedder.key_variable", "", "The environment variable that holds its key."),
    Setting("recall.tokens", 800, "Tokens that one answer may cost.", Trust.PROJECT),
    Setting("brief.tokens", 300, "Tokens that the brief at session start may cost.", Trust.PROJECT),
    Setting(
        "prompt.tokens",
        200,
        "Tokens that recalled notes may cost at a prompt or a file; 0: none.",
        Trust.PROJECT,
    ),
    Setting("capture.episodes", True, "Whether hooks store the conversation."),
    Setting("capture.sense", True, "Whether rules and corrections of a person become memories."),
    Setting(
        "capture.distil",
        False,
        "Whether an import sends turns (redacted) to the model of `judge.url`.",
    ),
    Setting("write.agents_propose", False, "Whether a person must approve what agents write."),
    Setting("write.session_memories", 1000, "Most memories that an agent writes in a session."),
    Setting("write.session_kilobytes", 5000, "Most text that an agent writes in a session."),
    Setting("judge.url", "", "OpenAI-compatible endpoint that may judge pairs in doubt."),
    Setting("judge.model", "", "The model of that endpoint."),
    Setting("judge.key_variable", "", "The environment variable that holds its key."),
    Setting("editor.hover", True, "Hovers: what is remembered of a symbol, as popup text."),
    Setting("editor.lens", False, "Code lenses: counts as text above functions."),
    Setting("editor.inlay", True, "Inlay hints: marks at the end of a definition's line, inline."),
    Setting("editor.diagnostics", True, "Squiggles: doubtful memories and broken rules."),
    Setting("editor.links", True, "Links on citations such as [m-...] in comments."),
    Setting("editor.actions", True, "Code actions: the light bulb's remember, correct, forget."),
    Setting("editor.symbols", True, "Symbols of a document and of the workspace, from the map."),
    Setting("editor.navigation", False, "Definition, references, call hierarchy from the map."),
    Setting("editor.completion", True, "Completion of citations after an opening bracket."),
    Setting("index.max_kilobytes", 1000, "Larger files are not mapped.", Trust.PROJECT),
    Setting("index.ignore", (), "More files to leave out, as gitignore lines.", Trust.PROJECT),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}
