#!/usr/bin/env bash
# Helix in a terminal of its own (tmux). Environment: POSTIL, ROOT, HOME, HELIX (its folder).
# Prints one line a check; exits 1 on a failure.
set -u
libraries=$HELIX/usr/lib/x86_64-linux-gnu
mkdir -p "$HOME/.config/helix"
cat > "$HOME/.config/helix/languages.toml" <<T
[language-server.postil]
command = "$POSTIL"
args = ["lsp"]
config = { lens = true }
[[language]]
name = "python"
language-servers = ["postil"]
T
cat > "$HOME/.config/helix/config.toml" <<'T'
[editor]
end-of-line-diagnostics = "hint"
[editor.lsp]
display-inlay-hints = true
display-messages = true
[editor.inline-diagnostics]
cursor-line = "hint"
T
own=postil-$$
tm() { tmux -L "$own" -f /dev/null "$@"; }
key() { tm send-keys -t 0 "$@"; sleep "${PAUSE:-0.4}"; }
failed=0
want() { # name, pattern
  for _ in $(seq 150); do
    line=$(tm capture-pane -p -t 0 | grep -E "$2" | head -1)
    if [ -n "$line" ]; then echo "ok   $1: $(echo "$line" | sed 's/^ *//' | cut -c1-110)"; return; fi
    sleep 0.1
  done
  echo "FAIL $1"; tm capture-pane -p -t 0; failed=1
}
# With the libraries that it was built for; what it starts uses the system's.
tm new-session -d -x 140 -y 36 \
  "$libraries/ld-linux-x86-64.so.2 --library-path $libraries $HELIX/usr/lib/hx/hx $ROOT/pay.py"
want file 'def charge'
want diagnostic 'No parties'
key j; PAUSE=1 key k # it asks for hints once it was idle
want inlay '⚖1'
key '/'; PAUSE=0.6 key '= charge' Enter; key ';'
key Space k
want hover 'Retries are off'
key Escape; key Escape
key Space s
want symbols '(function|Function).*charge'
key Escape
key Space S; key 'charge'
want 'workspace symbols' 'pay.py'
key Escape
key '/'; PAUSE=0.6 key 'whole cents' Enter; key ';'
key Space a
want 'code action' 'remember this line'
PAUSE=1 key Enter
want remember 'Remembered: .m-[0-9a-z]{12}'
key Escape; key ':q!' Enter
sleep 0.5
tm kill-server 2>/dev/null
exit $failed
