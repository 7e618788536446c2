"""Commands that serve others: mcp, lsp, hook, ping."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from postil.cli.output import json_option, project_option, show
from postil.errors import UsageError
from postil.toolspec import Profile


def _client_folder(project: Path) -> Path:
    """The project that a client means: it may start servers elsewhere and say so."""
    told = os.environ.get("CLAUDE_PROJECT_DIR")
    return Path(told) if told and project == Path() else project


@click.command("mcp")
@click.option("--print-config", "client", metavar="CLIENT", help="Show what to paste instead.")
@click.option(
    "--profile",
    type=click.Choice([one.value for one in Profile]),
    default=Profile.CORE.value,
    show_default=True,
    help="The tools of every day, all, or those that change nothing.",
)
@project_option
def mcp_command(client: str | None, profile: str, project: Path) -> None:
    """Serve agents over MCP on standard input and output."""
    if client is not None:
        from postil_installers.machine import Machine
        from postil_installers.snippet import snippet

        click.echo(snippet(client, Machine(os.environ)))
        return
    from postil.mcp_server.front import Backend, Front, claim_stdio

    folder = _client_folder(project)

    def load() -> Backend:
        from postil.mcp_server.server import load_backend

        return load_backend(folder, Profile(profile))

    Front(*claim_stdio(), load, Profile(profile)).run()


@click.command("lsp")
def lsp_command() -> None:
    """Serve editors over the language server protocol on standard input and output."""
    from postil.mcp_server.front import claim_stdio
    from postil_lsp.front import Backend, serve

    def load() -> Backend:
        from postil_lsp import server

        return server.serve

    serve(*claim_stdio(), load)


@click.command("hook")
@click.argument("client", required=False)
@click.argument("event", required=False)
@click.option("--drain", "draining", is_flag=True, help="Store the events that wait, then end.")
@project_option
def hook_command(client: str | None, event: str | None, draining: bool, project: Path) -> None:
    """Handle a client's EVENT, its payload on standard input (called by the client)."""
    from postil.leader.drain import drain_all
    from postil.leader.hooks import Hooks
    from postil.workspace import open_workspace

    if draining:
        drain_all()
        return
    if client is None or event is None:
        raise click.UsageError("CLIENT and EVENT are wanted, or --drain")
    workspace = open_workspace(project)
    try:
        payload = sys.stdin.buffer.read()
        sys.stdout.buffer.write(Hooks(workspace).answer(client, event, payload))
    except (ValueError, RecursionError) as wrong:
        raise UsageError(
            f"the payload of {event} is no JSON object: {wrong}", hint="the client sends it"
        ) from wrong
    finally:
        workspace.close()


@click.command("ping")
@project_option
@json_option
def ping_command(project: Path, as_json: bool) -> None:
    """Check store, vectors and code map of this project, and whether somebody leads."""
    from postil import __version__
    from postil.embed import plain_fit
    from postil.workspace import open_workspace
    from postil_hooks import relay, spool
    from postil_hooks.paths import work_tree

    workspace = open_workspace(project)
    try:
        integrity = workspace.store.integrity()
        embedder = workspace.embedder
        embeds = bool(embedder and embedder.embed(["ping"], plain_fit(embedder)).any())
        leader = relay.ask(work_tree(str(project)), b"ping\n", 2.0) == b"pong"
        files, symbols = workspace.index.totals()
        data = {
            "version": __version__,
            "store": str(workspace.project.store_path),
            "integrity": integrity,
            "embedder": embedder.name if embedder else "none",
            "embeds": embeds,
            "leader": leader,
            "files": files,
            "symbols": symbols,
            "waiting_events": len(spool.waiting()),
            "settings_ignored": list(workspace.config.complaints),
        }
    finally:
        workspace.close()
    lines = [
        f"postil {__version__}",
        f"store      {data['store']}: {integrity}",
        f"embedder   {data['embedder']}{'' if embeds or not embedder else ': gives no vectors'}",
        f"code map   {files:,} files, {symbols:,} symbols",
        f"leader     {'yes' if leader else 'none (each process helps itself)'}",
    ]
    if data["waiting_events"]:
        lines.append(f"waiting    {data['waiting_events']} events: `postil hook --drain`")
    lines += [f"settings   {complaint}" for complaint in workspace.config.complaints]
    show(as_json, "\n".join(lines), data)
    if integrity != "ok" or (embedder and not embeds):
        sys.exit(1)
    if workspace.config.complaints:
        sys.exit(3)
