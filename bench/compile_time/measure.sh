#!/usr/bin/env bash
# What 100 documented tools of three parameters cost the compiler: ours beside rmcp's `#[tool_router]`. And what 50 agents in cards cost it
# beside the same agents in `agent!`.
#
# User CPU seconds of `cargo check` and of a release build of just that crate: dependencies are built
# before, nothing is incremental, one job, rounds interleaved, the lowest of each: what else runs on the
# machine only ever adds to it. Fails if a gate is not kept; `--no-worse`, which is what CI asks, leaves room
# for a busy machine, and measures no release builds: their dependencies take minutes.
#
# usage: measure.sh [--no-worse] [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")"

most_check=0.50
most_release=0.25
commands=(check "build --release")
most_cards=1.10
if [ "${1:-}" = --no-worse ]; then
    shift
    most_check=0.58
    commands=(check)
    most_cards=1.15
fi
rounds=${1:-5}
tools=100

bench=$(cd .. && pwd)
work=${CARGO_TARGET_DIR:-$bench/target}/compile_time
export CARGO_TARGET_DIR=$work/target CARGO_INCREMENTAL=0

package() { # NAME; its dependencies come from stdin
    mkdir -p "$work/$1/src"
    cat >"$work/$1/Cargo.toml" <<TOML
[package]
name = "tools-$1"
version = "0.0.0"
edition = "2024"

[dependencies]
$(cat)
TOML
}

generate_ours() {
    package ours <<<"onionskin = { path = \"$bench/../runtime\", default-features = false }"
    {
        echo 'use onionskin::run::ToolCaller;'
        echo 'use onionskin::{Args, ToolContext, ToolResult, agent, tool};'
        for ((i = 0; i < tools; i++)); do
            cat <<RUST

/// Looks up a name in register $i.
#[tool]
async fn look_up_$i(
    /// The name to look for.
    name: String,
    /// How many answers to give at most.
    limit: u32,
    /// Where to look; everywhere if it is left out.
    place: Option<String>,
) -> String {
    format!("$i {name} {limit} {place:?}")
}
RUST
        done
        echo
        echo 'agent! { pub All { instruction: "Look it up.", function_tools: ['
        for ((i = 0; i < tools; i++)); do echo "    look_up_$i,"; done
        echo '] } }'
        # Behind a pointer, so that the code of all tools is made in this crate.
        cat <<'RUST'

pub fn call<'a>(
    tools: &'a ToolCaller<All>,
    context: &'a ToolContext,
    args: &'a mut Args,
) -> std::pin::Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>> {
    Box::pin(tools.call(context, args))
}
RUST
    } >"$work/ours/src/lib.rs"
}

generate_rmcp() {
    package rmcp <<'TOML'
rmcp = { version = "=3.9.0", default-features = false, features = ["server", "macros"] }
schemars = "1.2"
serde = { version = "1", features = ["derive"] }
TOML
    {
        cat <<'RUST'
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResponse;
use rmcp::{ErrorData, tool, tool_router};

pub struct Server;
RUST
        for ((i = 0; i < tools; i++)); do
            cat <<RUST

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct LookUp$i {
    /// The name to look for.
    name: String,
    /// How many answers to give at most.
    limit: u32,
    /// Where to look; everywhere if it is left out.
    place: Option<String>,
}
RUST
        done
        echo
        echo '#[tool_router(vis = "pub")]'
        echo 'impl Server {'
        for ((i = 0; i < tools; i++)); do
            cat <<RUST
    /// Looks up a name in register $i.
    #[tool]
    async fn look_up_$i(&self, Parameters(LookUp$i { name, limit, place }): Parameters<LookUp$i>) -> String {
        format!("$i {name} {limit} {place:?}")
    }

RUST
        done
        echo '}'
        cat <<'RUST'

pub fn call<'a>(
    tools: &'a ToolRouter<Server>,
    context: ToolCallContext<'a, Server>,
) -> std::pin::Pin<Box<dyn Future<Output = Result<CallToolResponse, ErrorData>> + Send + 'a>> {
    Box::pin(tools.call(context))
}
RUST
    } >"$work/rmcp/src/lib.rs"
}

agents=50

# The tools that the agents of cards, and those in the text, name.
tools_of_agents() {
    echo 'use onionskin::tool;'
    for ((i = 0; i < agents; i++)); do
        cat <<RUST

/// Looks up a name in register $i.
#[tool]
pub fn look_up_$i(
    /// The name to look for.
    name: String,
) -> String {
    format!("$i {name}")
}
RUST
    done
}

# Each agent has a tool, a hook with a filter, limits, and, but for the last one, the next agent of its ten as a child.
generate_cards() {
    package cards <<<"onionskin = { path = \"$bench/../runtime\", default-features = false, features = [\"cards\"] }"
    mkdir -p "$work/cards/cards"
    tools_of_agents >"$work/cards/src/tools.rs"
    printf 'mod tools;\nonionskin::agent!(pub card = "cards");\n' >"$work/cards/src/lib.rs"
    for ((i = 0; i < agents; i++)); do
        local child=
        ((i % 10 == 9)) || child="agents: [Agent$((i + 1))]"
        cat >"$work/cards/cards/agent$i.md" <<CARD
---
name: Agent$i
description: Knows register $i.
function_tools: ["crate::tools::look_up_$i"]
$child
tool_hooks: [{ hook: "::onionskin::hooks::retry", with: [3], for: [look_up_$i] }]
limits: { turns: 5 }
---
Look it up.
CARD
    done
}

generate_written() {
    package written <<<"onionskin = { path = \"$bench/../runtime\", default-features = false, features = [\"cards\"] }"
    tools_of_agents >"$work/written/src/tools.rs"
    {
        echo 'mod tools;'
        echo 'onionskin::agent! {'
        for ((i = 0; i < agents; i++)); do
            local child=
            ((i % 10 == 9)) || child="agents: [Agent$((i + 1))],"
            cat <<RUST
    pub Agent$i {
        name: "Agent$i",
        description: "Knows register $i.",
        instruction: "Look it up.",
        function_tools: [crate::tools::look_up_$i],
        $child
        tool_hooks: [::onionskin::hooks::retry(3) for [crate::tools::look_up_$i]],
        limits: { turns: 5 },
    }
RUST
        done
        echo '}'
    } >"$work/written/src/lib.rs"
}

generate_empty() {
    package empty </dev/null
    echo '//! What cargo and rustc cost without any code.' >"$work/empty/src/lib.rs"
}

seconds() { # CRATE COMMAND..: user CPU of one build of that crate
    local name=$1 log
    shift
    touch "$work/$name/src/lib.rs"
    log=$( (TIMEFORMAT=%U; time cargo "$@" --quiet -j1 --manifest-path "$work/Cargo.toml" -p "tools-$name" 2>"$work/log") 2>&1) || {
        cat "$work/log" >&2
        exit 1
    }
    echo "$log"
}

lowest() { sort -n | head -1; }

mkdir -p "$work"
printf '[workspace]\nresolver = "3"\nmembers = ["ours", "rmcp", "empty", "cards", "written"]\n' >"$work/Cargo.toml"
# The same versions as in the other benchmarks.
cp "$bench/Cargo.lock" "$work/Cargo.lock"
generate_ours
generate_rmcp
generate_empty
generate_cards
generate_written

echo "building dependencies.." >&2
for command in "${commands[@]}"; do
    # One crate at a time, as they are measured: together they would want other features of what they share.
    for name in ours rmcp empty; do
        # shellcheck disable=SC2086
        cargo $command --quiet --manifest-path "$work/Cargo.toml" -p "tools-$name"
    done
done
for name in cards written; do cargo check --quiet --manifest-path "$work/Cargo.toml" -p "tools-$name"; done

for ((round = 1; round <= rounds; round++)); do
    # A check is short, so another program disturbs it more easily: one crate after the other, five times.
    for _ in 1 2 3 4 5; do
        for name in ours rmcp empty cards written; do seconds "$name" check >>"$work/$name.check.$$"; done
    done
    for command in "${commands[@]:1}"; do
        # shellcheck disable=SC2086
        for name in ours rmcp empty; do seconds "$name" $command >>"$work/$name.${command##*--}.$$"; done
    done
    echo "round $round of $rounds" >&2
done

declare -A user
for name in cards written; do
    user[$name.check]=$(lowest <"$work/$name.check.$$")
    rm "$work/$name.check.$$"
    printf '%-7s check %6.2f s\n' "$name" "${user[$name.check]}"
done
for name in empty ours rmcp; do
    for kind in "${commands[@]##*--}"; do
        user[$name.$kind]=$(lowest <"$work/$name.$kind.$$")
        rm "$work/$name.$kind.$$"
        printf '%-7s %s %6.2f s\n' "$name" "$kind" "${user[$name.$kind]}"
    done
done

failed=0
gate() { # KIND MOST
    awk -v kind="$1" -v ours="${user[ours.$1]}" -v theirs="${user[rmcp.$1]}" -v most="$2" 'BEGIN {
        kept = ours <= most * theirs
        printf "%s: %.2f of rmcp, at most %.2f: %s\n", kind, ours / theirs, most, kept ? "ok" : "FAILED"
        exit !kept
    }' || failed=1
}
awk -v cards="${user[cards.check]}" -v written="${user[written.check]}" -v most="$most_cards" 'BEGIN {
    kept = cards <= most * written
    printf "cards: %.2f of agents in the text, at most %.2f: %s\n", cards / written, most, kept ? "ok" : "FAILED"
    exit !kept
}' || failed=1
gate check "$most_check"
[ ${#commands[@]} = 1 ] || gate release "$most_release"
exit "$failed"
