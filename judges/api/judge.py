#!/usr/bin/env python3
"""Holds the public API of the crates against what the repository says about it.

Three things are held, for every library crate of the workspace with all its features:

1. Its types with a rule: an enum, a variant with named fields, and a struct whose fields are all public are `non_exhaustive`, and a tuple variant has one
   field, or they are in `accepted.toml`.
2. The types of other crates in it with the table in `docs/design/api.md`.
3. Its documentation: each function that returns a future says what happens when the future is dropped, with a sentence that begins a line with
   `Cancel safety:`; each trait has an example, or says that
   programs do not implement it.

usage: judge.py. First: `judges/install.sh api`.

Rustdoc of the stable toolchain writes JSON only with `RUSTC_BOOTSTRAP`, which is set for these calls of rustdoc alone.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
TOOLS = ROOT / "judges/.kit/api/bin"
# What the macros' expansions use. It is not a part of the promise, and its name changes with every incompatible change.
INTERNAL = re.compile(r"::__private\d+\b|\b__rt::")
# An alias of one type, which several modules re-export: which of their paths is shown, changes with the modules.
ALIAS = re.compile(r"\b(?:\w+::)+BoxError\b(?! =)")
BOXED = "alloc::boxed::Box<(dyn core::error::Error + core::marker::Send + core::marker::Sync)>"

# Their items are for the macros and the runtime, and say that they change without notice.
INSIDE = {"onionskin-cards", "onionskin-lines", "onionskin-vocabulary"}
# Crates below core. Programs see of them what core shows.
BELOW = ["onionskin-definitions", "onionskin-tools"]


class Failed(Exception):
    """A step could not be done."""


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(map(str, command))}` failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def library_crates():
    """The names of the crates of the runtime whose items programs use. The macros have no items but macros, and rustdoc does not describe
    their input."""
    metadata = json.loads(run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT))
    runtime = ROOT / "runtime"
    packages = (package for package in metadata["packages"] if Path(package["manifest_path"]).is_relative_to(runtime))
    packages = (package for package in packages if any("lib" in target["kind"] for target in package["targets"]))
    return sorted({package["name"] for package in packages} - INSIDE)


def rustdoc(crates):
    """Writes rustdoc's JSON of all crates in one build, in which a warning of rustdoc is an error. Returns the file of each crate."""
    work = TARGET / "api"
    work.mkdir(parents=True, exist_ok=True)
    # Build scripts read the variable too, so a build with it would share nothing.
    program = work / "rustdoc.sh"
    program.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n')
    program.chmod(0o755)
    flags = "-Zunstable-options --output-format json -D warnings"
    run(
        # The example is there for the features that the dependencies of tests bring: clippy has checked the crates of others with them.
        # The excluded crate has the name of another one.
        ["cargo", "doc", "--quiet", "--workspace", "--no-deps", "--all-features", "--lib", "--bins", "--example",
         "serve_tools", "--exclude", "onionskin-third-party-on-facade"],
        cwd=ROOT, env={**os.environ, "RUSTDOC": str(program), "RUSTDOCFLAGS": flags},
    )  # fmt: skip
    return {crate: TARGET / "doc" / f"{crate.replace('-', '_')}.json" for crate in crates}


def public_items(document):
    lines = run([str(TOOLS / "cargo-public-api"), "-sss", "--color", "never", "--rustdoc-json", str(document)]).splitlines()
    lines = [ALIAS.sub(BOXED, line) for line in lines]
    return [line for line in lines if not INTERNAL.search(line)]


def public_names(items, kinds):
    """The names of the public items of these kinds. Items that are only in `checks` and `forms` are for the compiler's errors, not for programs."""
    found = (re.match(rf"pub (?:unsafe |const |async )*(?:{kinds}) ((?:\w+::)*)(\w+)", item) for item in items)
    return {match[2] for match in found if match and "::checks::" not in match[1] and "::forms::" not in match[1]}


def walked(data, module):
    """The public items below a module, as paths of their definitions. A name that leads to another crate is one too."""
    found, modules = set(), [module]
    seen = set()
    while modules:
        number = str(modules.pop())
        item = data["index"].get(number)
        if number in seen or item is None or "module" not in item["inner"]:
            continue
        seen.add(number)
        for child in item["inner"]["module"]["items"]:
            child = data["index"].get(str(child))
            if child is None or child["visibility"] != "public" or INTERNAL.search(f"::{child['name']}"):
                continue
            if child["name"] in ("checks", "forms"):
                continue
            target = child["inner"]["use"]["id"] if "use" in child["inner"] else child["id"]
            if place := data["paths"].get(str(target)):
                found.add("::".join(place["path"]))
            modules.append(target)
    return found


def shown_by(core, definitions):
    """The items of a crate below core that programs see, as paths of their definitions: those that core has under its own modules. The others
    are for the crates of the runtime."""
    names = walked(core, core["root"])
    own = {"::".join(place["path"]): number for number, place in definitions["paths"].items() if place["crate_id"] == 0}
    below = (walked(definitions, own[name]) for name in names & own.keys() if definitions["paths"][own[name]]["kind"] == "module")
    shown = (names & own.keys()).union(*below)
    return {name for name in shown & own.keys() if definitions["paths"][own[name]]["kind"] != "module"}


# ---- 1. types that can grow ------------------------------------------------------------------------------------------


def closed_types(data, items, shown):
    """The public types to which nothing can be added without a break."""
    index = data["index"]
    types = public_names(items, "struct|enum")

    def closed(item):
        return not any("non_exhaustive" in str(attribute) for attribute in item["attrs"])

    for item in index.values():
        if item["crate_id"] != 0 or item["visibility"] != "public" or str(item["id"]) not in data["paths"]:
            continue
        path = "::".join(data["paths"][str(item["id"])]["path"])
        # The path is that of the definition, which can be in a private module.
        if INTERNAL.search(path) or item["name"] not in types or (shown is not None and path not in shown):
            continue
        if "enum" in item["inner"]:
            if closed(item):
                yield path
            for variant in (index[str(number)] for number in item["inner"]["enum"]["variants"]):
                kind = variant["inner"]["variant"]["kind"]
                if isinstance(kind, dict) and "struct" in kind and closed(variant):
                    yield f"{path}::{variant['name']}"
                # One field can be all that there is to say; several are more than that.
                elif isinstance(kind, dict) and len(kind.get("tuple", [])) > 1:
                    yield f"{path}::{variant['name']}"
        elif "struct" in item["inner"] and closed(item):
            kind = item["inner"]["struct"]["kind"]
            if kind == "unit":
                continue
            plain = kind.get("plain")
            hidden = plain["has_stripped_fields"] if plain else None in kind["tuple"]
            fields = plain["fields"] if plain else kind["tuple"]
            if fields and not hidden:
                yield path


def judge_closed(found, accepted):
    listed = {item for entry in accepted for item in entry["items"]}
    problems = [f"{item} cannot grow without a break: make it `#[non_exhaustive]`, with a constructor where others make it" for item in sorted(found - listed)]
    problems += [f"judges/api/accepted.toml says that {item} cannot grow, but it can, or there is no such type" for item in sorted(listed - found)]
    return problems


# ---- 2. types of other crates ----------------------------------------------------------------------------------------


def foreign_types(items):
    for item in items:
        for path in re.finditer(r"(?<![\w:])([a-z]\w*)::(?:\w+::)*([A-Z]\w*)", item):
            if path[1] not in ("alloc", "core", "std") and not path[1].startswith("onionskin"):
                yield ("serde" if path[1] == "serde_core" else path[1]), path[2]


def judge_foreign(found):
    listed = defaultdict(set)
    section = (ROOT / "docs/design/api.md").read_text().split("### Types of other crates in the public API", 1)
    if len(section) != 2:
        return ["docs/design/api.md has no section `Types of other crates in the public API`"]
    for row in re.finditer(r"^\| `([\w-]+)` \| `(\w+)` \| ([^|]*) \|", section[1].split("\n## ", 1)[0], re.M):
        for name in re.findall(r"`(\w+)`", row[3]):
            listed[row[1]].add((row[2], name))
    problems = []
    for crate in sorted(found.keys() | listed.keys()):
        problems += [f"{crate}: {'::'.join(path)} is in the public API, but not in the table of docs/design/api.md" for path in sorted(found[crate] - listed[crate])]
        problems += [f"{crate}: {'::'.join(path)} is in the table of docs/design/api.md, but not in the public API" for path in sorted(listed[crate] - found[crate])]
    return problems


# ---- 3. the documentation --------------------------------------------------------------------------------------------


def undocumented(data, items, shown):
    """What the documentation of a crate leaves out."""
    index = data["index"]
    types, traits = public_names(items, "struct|enum"), public_names(items, "trait")
    # Without methods, whose path has the name of a type before theirs.
    functions = public_names((item for item in items if not re.search(r"::[A-Z]\w*(<.*>)?::\w+[(<]", item)), "fn")

    # Future types by hand, and aliases of futures.
    by_hand = set()
    for item in index.values():
        if block := item["inner"].get("impl"):
            if block["trait"] and re.fullmatch(r"(.*::)?(Into)?Future", block["trait"]["path"]) and "resolved_path" in block["for"]:
                by_hand.add(block["for"]["resolved_path"]["id"])
        elif alias := item["inner"].get("type_alias"):
            if "Future" in json.dumps(alias["type"]):
                by_hand.add(item["id"])

    def promises(output):
        text = json.dumps(output)
        return "Future" in text or any(int(number) in by_hand for number in re.findall(r'"id": (\d+)', text))

    def futures(owner, numbers):
        for function in (index.get(str(number)) for number in numbers):
            # The methods of a trait have the visibility of the trait.
            if function is None or "function" not in function["inner"] or function["visibility"] not in ("public", "default"):
                continue
            body = function["inner"]["function"]
            is_future = body["header"]["is_async"] or promises(body["sig"]["output"])
            if is_future and not re.search(r"^Cancel safety: \w", function["docs"] or "", re.M):
                yield f"{owner}::{function['name']}: say what happens when its future is dropped (`Cancel safety: ..`)"

    for item in index.values():
        place = data["paths"].get(str(item["id"]))
        if item["crate_id"] != 0 or place is None or item["visibility"] != "public":
            continue
        path, inner, docs = "::".join(place["path"]), item["inner"], item["docs"] or ""
        if INTERNAL.search(path) or (shown is not None and path not in shown):
            continue
        if "trait" in inner and item["name"] in traits:
            yield from futures(path, inner["trait"]["items"])
            if "```" not in docs and not any("```" in (index[str(number)]["docs"] or "") for number in inner["trait"]["items"] if str(number) in index):
                if "Programs do not implement" not in docs:
                    yield f"{path}: give it an example, or say `Programs do not implement it`"
        elif ("struct" in inner or "enum" in inner) and item["name"] in types:
            for block in (index.get(str(number)) for number in (inner.get("struct") or inner["enum"])["impls"]):
                if block is not None and block["inner"]["impl"]["trait"] is None:
                    yield from futures(path, block["inner"]["impl"]["items"])
        elif "function" in inner and item["name"] in functions:
            yield from futures("::".join(place["path"][:-1]), [item["id"]])


def main():
    accepted = tomllib.loads((HERE / "accepted.toml").read_text())
    if unknown := accepted.keys() - {"closed"}:
        raise Failed(f"judges/api/accepted.toml has tables that are not known: {sorted(unknown)}")
    for entry in accepted.get("closed", []):
        if not entry.get("reason", "").strip() or not entry["items"]:
            raise Failed(f"an entry of judges/api/accepted.toml has no reason or no items: {entry}")

    problems, closed, foreign = [], set(), defaultdict(set)
    documents = rustdoc(library_crates())
    read = {crate: json.loads(document.read_text()) for crate, document in documents.items()}
    below = {crate: shown_by(read["onionskin-core"], read[crate]) for crate in BELOW}
    if empty := [crate for crate, shown in below.items() if not shown]:
        raise Failed(f"onionskin-core shows nothing of {empty}, so their documents were not read")
    for name, document in documents.items():
        items, shown, crate = public_items(document), None, name
        if not items:
            raise Failed(f"{crate} has no public items, so its documents were not read")
        if crate in BELOW:
            # Programs see its items as those of core.
            crate, shown = "onionskin-core", below[crate]
            types = {path.rsplit("::", 1)[1] for path in shown}
            items = [item for item in items if types & set(re.findall(r"\w+", item.split("(", 1)[0]))]
        closed |= set(closed_types(read[name], items, shown))
        foreign[crate] |= set(foreign_types(items))
        problems += undocumented(read[name], items, shown)
        print(f"{name}: {len(items)} public items, {len(foreign[crate])} types of other crates")
    problems += judge_closed(closed, accepted.get("closed", []))
    problems += judge_foreign(foreign)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as problem:
        print(problem, file=sys.stderr)
        sys.exit(1)
