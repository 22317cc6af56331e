#!/usr/bin/env bash
# What a first build of a program with one tool costs: CPU seconds of `cargo build` with an empty target folder, and
# the crates that it compiles; without features, with the defaults, and with `genai`.
#
# CPU seconds, user and system: they depend less than the time on what else runs on the machine.
#
# usage: measure.sh [CHECKOUT...]     other checkouts of this repository, to compare with; interleaved with this one
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# program CHECKOUT FEATURES: a program with one tool.
program() {
  rm -rf "$work/one"
  mkdir -p "$work/one/src"
  cat >"$work/one/Cargo.toml" <<TOML
[package]
name = "one-tool"
version = "0.0.0"
edition = "2024"

[dependencies]
onionskin = { path = "$1/runtime", $2 }
TOML
  cat >"$work/one/src/main.rs" <<'RUST'
use onionskin::{agent, tool};

/// Adds one.
#[tool]
fn add_one(
    /// The number.
    x: i64,
) -> i64 {
    x + 1
}

agent! { Adder { instruction: "Add.", function_tools: [add_one] } }

fn main() {
    let _ = Adder::builder();
}
RUST
}

printf '%-12s %-44s %8s %8s\n' features checkout crates 'CPU s'
for features in 'default-features = false' 'features = []' 'features = ["genai"]'; do
  for checkout in "$@" "$here"; do
    program "$checkout" "$features"
    cd "$work/one"
    cargo fetch -q
    lowest=
    for _ in 1 2; do
      rm -rf "$work/target"
      times=$( { TIMEFORMAT='%U %S'; time CARGO_TARGET_DIR="$work/target" CARGO_INCREMENTAL=0 cargo build --offline -q 1>&2; } 2>&1 | tail -1)
      lowest=$(awk -v low="$lowest" '{ sum = $1 + $2; print (low == "" || sum < low) ? sum : low }' <<<"$times")
    done
    crates=$(cargo tree --offline -e normal,build --prefix none --no-dedupe | awk 'NF { print $1, $2 }' | sort -u | wc -l)
    case $features in
      default*) name=none ;;
      *genai*) name=genai ;;
      *) name=default ;;
    esac
    printf '%-12s %-44s %8d %8.1f\n' "$name" "$(git -C "$checkout" rev-parse --short HEAD)" "$crates" "$lowest"
  done
done
