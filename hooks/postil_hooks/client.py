"""The program that an agent's client starts at each event. Always exits 0, never prints an error.

What must be answered now the leader answers, or without one this process by words alone. What must
not be lost is first written to the spool, then drained by the leader or, without one, by a detached
process that ends by itself.
"""

import os
import sys
import time

from postil_hooks import relay
from postil_hooks.paths import data_dir, fired_dir, work_tree

# Seconds. The client's own limit is set higher by the installer.
DEADLINE = 0.8
# Seconds for which a leader that did not answer in time is not asked again: one turn has several
# events, and waits once.
REST = 20.0
# The events of all clients that tell of what must be stored. Their names are all that is known
# here: reading a client's description would cost more than all the rest.
KEPT = frozenset(
    (
        "Stop", "SubagentStop", "PreCompact", "SessionEnd", "PostToolUseFailure",
        "AfterAgent", "PreCompress",
        "agentStop", "subagentStop", "preCompact", "sessionEnd", "errorOccurred",
        "stop", "afterAgentResponse", "postToolUseFailure",
        "session.idle", "session.compacting", "dispose",
    )
)  # fmt: skip
# Of these also such as an answer may go back to.
ANSWERED_TOO = frozenset(("PreCompact", "session.compacting"))
# Where a session may have gone on without us.
STARTS = frozenset(("SessionStart", "sessionStart"))
# Each client says where its project lies.
FOLDERS = (
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "COPILOT_PROJECT_DIR",
    "DEVIN_PROJECT_DIR",
)
# `-I`: neither the opened project nor the environment may put modules in our way.
PROGRAM = (sys.executable, "-I", "-m", "postil", "hook")


def main(arguments: "list[str]") -> int:
    """Handle one event: `CLIENT EVENT`, its payload on standard input. Returns 0."""
    try:
        if os.environ.get("POSTIL_CHILD"):
            return 0  # a session that we started ourselves
        client, event = arguments[0], arguments[1]
        payload = sys.stdin.buffer.read()
        folder = next((os.environ[name] for name in FOLDERS if os.environ.get(name)), "")
        folder = folder or os.getcwd()
        if os.path.realpath(folder).startswith(os.path.realpath(data_dir()) + os.sep):
            return 0
        _mark(client, event)
        if event in KEPT:
            _keep(client, event, folder, payload)
        if event not in KEPT or event in ANSWERED_TOO:
            answer = _answer(client, event, folder, payload)
            if answer:
                sys.stdout.buffer.write(answer)
                sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 - a hook must never disturb the session
        log(f"{' '.join(arguments[:2])}: {error!r}"[:500])
    return 0


def console() -> None:
    """The program `postil-hook`, for those who find it on their path: a client's plugin does."""
    main(sys.argv[1:])


def _mark(client: str, event: str) -> None:
    """Note that an event came: who looks after an installation wants to know."""
    if "/" in client + event or os.sep in client + event:
        return
    path = os.path.join(fired_dir(), client, event)
    try:
        os.utime(path)
    except FileNotFoundError:
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(path, "wb"):
                return
        except OSError:
            return  # it is told as one that never came
    except OSError:
        return


def log(message: str) -> None:
    """Note a failure in the private log; whoever cannot even do that stays silent."""
    try:
        os.makedirs(data_dir(), mode=0o700, exist_ok=True)
        path = os.path.join(data_dir(), "hooks.log")
        if os.path.exists(path) and os.path.getsize(path) > 200_000:
            os.replace(path, path + ".old")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime())
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="replace") as file:
            file.write(stamp + message.replace("\n", " ") + "\n")
    except OSError:
        return


def _answer(client: str, event: str, folder: str, payload: bytes) -> bytes:
    root = work_tree(folder)
    is_hung = relay.is_hung(root, REST)
    if not is_hung:
        answer = relay.ask(root, f"hook\n{client}\n{event}\n".encode() + payload, DEADLINE)
        if answer is not None:
            return answer
        if relay.is_there(root):
            relay.note_hung(root)
            return b""  # it is there and too slow: to do its work ourselves would be slower still
    from postil_hooks import alone

    if event in STARTS and not is_hung:
        from postil_hooks import spool

        spool.put(client, event, folder, payload)  # whoever comes next reads what was missed
    return alone.answer(client, event, root, payload)


def _keep(client: str, event: str, folder: str, payload: bytes) -> None:
    from postil_hooks import spool

    spool.put(client, event, folder, payload)
    root = work_tree(folder)
    if relay.is_hung(root, REST) or relay.ask(root, b"drain\n", DEADLINE) is not None:
        return
    if relay.is_there(root):
        relay.note_hung(root)
        return
    import subprocess

    # Detached: the client ends its own children with the session.
    detached = {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}
    subprocess.Popen(
        [*PROGRAM, "--drain"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **detached,
    )
