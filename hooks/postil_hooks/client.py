"""The program that an agent's client starts at each event. Always exits 0, never prints an error.

What must be answered now the leader answers, or without one the full program in its own process.
What must not be lost is first written to the spool, then drained by the leader or, without one,
by a detached process that ends by itself.
"""

import os
import sys
import time

from postil_hooks import relay
from postil_hooks.paths import data_dir, work_tree

# Seconds. The client's own limit is set higher by the installer.
LEADER_DEADLINE = 2.0
ALONE_DEADLINE = 8.0
ANSWERED_NOW = ("SessionStart",)
# `-I`: neither the opened project nor the environment may put modules in our way.
PROGRAM = (sys.executable, "-I", "-m", "postil", "hook")


def main(arguments: "list[str]") -> int:
    """Handle one event: `CLIENT EVENT`, its payload on standard input. Returns 0."""
    try:
        client, event = arguments[0], arguments[1]
        payload = sys.stdin.buffer.read()
        folder = os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()
        if event in ANSWERED_NOW:
            answer = _answer(client, event, folder, payload)
        else:
            answer = b""
            _keep(client, event, folder, payload)
        if answer:
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 - a hook must never disturb the session
        log(f"{' '.join(arguments[:2])}: {error!r}"[:500])
    return 0


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
    request = f"hook\n{client}\n{event}\n".encode() + payload
    answer = relay.ask(work_tree(folder), request, LEADER_DEADLINE)
    if answer is not None:
        return answer
    import subprocess

    done = subprocess.run(
        [*PROGRAM, client, event, "--project", folder],
        input=payload,
        capture_output=True,
        timeout=ALONE_DEADLINE,
        check=False,
    )
    if done.returncode:
        log(f"{client} {event}: exit {done.returncode}: {done.stderr[-300:]!r}")
        return b""
    return done.stdout


def _keep(client: str, event: str, folder: str, payload: bytes) -> None:
    from postil_hooks import spool

    spool.put(client, event, folder, payload)
    if relay.ask(work_tree(folder), b"drain\n", LEADER_DEADLINE) is not None:
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
