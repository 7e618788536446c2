"""`postil`: finds the command and loads only what it needs."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

import click

from postil import __version__
from postil.errors import PostilError

# Command -> module of `postil.cli` that defines it, and the line that `--help` shows for it.
COMMANDS = {
    "calibrate": ("setup", "Set a project up: store, first knowledge, code map."),
    "install": ("wiring", "Wire Postil into clients."),
    "uninstall": ("wiring", "Take Postil out of clients again, byte for byte."),
    "doctor": ("wiring", "Look for what keeps a client from working, and mend it."),
    "projects": ("projects", "List projects; link a folder that was moved."),
    "status": ("wiring", "Show which clients are wired, and this project's state."),
    "brief": ("memory", "Print what a session here should know at its start."),
    "search": ("memory", "Search memories and earlier conversations."),
    "remember": ("memory", "Store a decision, rule, fact or lesson with its reason."),
    "get": ("curating", "Show a memory in full."),
    "recent": ("curating", "List the newest memories."),
    "update": ("curating", "Change a memory; earlier versions are kept."),
    "supersede": ("curating", "Replace a memory by a new statement."),
    "forget": ("curating", "Take a memory out of every answer."),
    "keep": ("curating", "Pin a memory, so that it comes first."),
    "restore": ("curating", "Bring a closed memory or an earlier version back."),
    "history": ("curating", "Show what a memory said before, and who changed it."),
    "undo": ("curating", "Take back everything that a session changed."),
    "proposals": ("curating", "Decide on what agents propose and on what may be the same."),
    "erase": ("erasing", "Remove something for good, from everywhere."),
    "facts": ("facts", "Assert facts, and ask what held when."),
    "export": ("transfer", "Write all memories to a file."),
    "import": ("transfer", "Read an export, or the memories of another tool."),
    "backup": ("transfer", "Make, list and restore copies of the store."),
    "maintain": ("transfer", "Give back space, finish erasures, merge twins."),
    "review": ("review", "Say what memory knows about a change; exit code 7 for a broken rule."),
    "index": ("code", "Map the code: update, search, outline, explore, status."),
    "mcp": ("serve", "Serve agents over MCP on standard input and output."),
    "lsp": ("serve", "Serve editors over the language server protocol."),
    "hook": ("serve", "Handle a client's event (called by the client)."),
    "ping": ("serve", "Check that everything works, and who leads."),
}


class Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of a day with Postil."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"postil.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of `--help`, without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest names for a mistyped one."""
        import difflib

        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], COMMANDS, n=2)
            if not near:
                raise
            told = f"{error.message} Did you mean {' or '.join(near)}?"
            raise click.UsageError(told, ctx) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="postil")
def cli() -> None:
    """Private, local long-term memory for coding agents, in the margin of the code.

    Exit codes: 0 done, 1 failed, 2 wrong usage, 3 wrong settings, 4 the store cannot be used,
    5 a client's file cannot be edited safely (nothing was changed), 6 a secret was refused.
    """


def main() -> None:
    """Run the command line; expected failures end in one line and their exit code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    try:
        try:
            cli.main(prog_name="postil", standalone_mode=True)
        finally:
            if not sys.stdout.closed:  # a language server closes it itself
                sys.stdout.flush()
    except PostilError as error:
        _report(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of a pipe has seen enough; keep the interpreter from complaining at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if os.environ.get("POSTIL_TRACEBACK"):
            raise
        _report(_unexpected(error))
        sys.exit(1)


def _unexpected(error: Exception) -> PostilError:
    """What nobody foresaw, without its trace: that may hold texts that are nobody's business."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return PostilError(f"{place}{error.strerror}", hint="check the path, its owner and mode")
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
    return PostilError(
        f"{type(error).__name__}{where}: this is a mistake in Postil",
        hint="please report it; POSTIL_TRACEBACK=1 shows where it happened",
    )


def _report(error: PostilError) -> None:
    if "--json" in sys.argv:
        row = {"error": {"code": error.code, "message": str(error), "hint": error.hint}}
        print(json.dumps(row, ensure_ascii=False))
        return
    print(f"postil: {error}", file=sys.stderr)
    if error.hint:
        print(f"        {error.hint}", file=sys.stderr)
