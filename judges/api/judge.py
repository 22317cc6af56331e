#!/usr/bin/env python3
"""Holds the public API of the crates against what the repository says about it.

Six things are held, for every library crate of the workspace with all its features:

1. Its public items with `lists/CRATE.txt`, so that each change of the API shows in a diff (cargo-public-api).
2. Its API with that of the baseline, which is the commit that the file `baseline` names: the last state that landed before the newest one
   (cargo-semver-checks). Each break has to be in `accepted.toml` with a reason, and each break in that file has to be there.
3. Its lines in that list, and its features with what they turn on, with those of the baseline: each line or feature that is gone or changed has to be in `accepted.toml`
   too, unless 2 found it. cargo-semver-checks does not see each change, for example of a re-export or of a parameter's type.
4. Its types with a rule: an enum, a variant with named fields, and a struct whose fields are all public are `non_exhaustive`, and a tuple variant has one
   field, or they are in `accepted.toml`.
5. The types of other crates in it with the table in `docs/design.md`.
6. Its documentation: each function that returns a future says what happens when the future is dropped, with a sentence that begins a line with
   `Cancel safety:`; each trait has an example, or says that
   programs do not implement it.

usage: judge.py [--bless]     `--bless` writes the lists. First: `judges/install.sh api`.

Rustdoc of the stable toolchain writes JSON only with `RUSTC_BOOTSTRAP`, which is set for these calls of rustdoc alone.
"""

import json
import os
import re
import shutil
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


class Failed(Exception):
    """A step could not be done."""


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(map(str, command))}` failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def git(*arguments):
    return run(["git", "-C", str(ROOT), *arguments]).strip()


def baseline_sources():
    """The sources of the baseline's commit, and the commit."""
    if git("rev-parse", "--is-shallow-repository") == "true":
        raise Failed("this clone has no history, so there is no baseline; run `git fetch --unshallow`")
    commit = (HERE / "baseline").read_text().split()[0]
    if subprocess.run(["git", "-C", str(ROOT), "merge-base", "--is-ancestor", commit, "HEAD"], capture_output=True).returncode:
        raise Failed(f"judges/api/baseline names {commit}, which is not a commit before this one")
    folder = TARGET / "api" / "baseline"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return folder, commit


def library_crates(sources):
    """The crates of the runtime: their features by their names. The macros have no items but macros, and rustdoc does not describe their input; the
    items of `onionskin-cards` are for the macros and the runtime, and say that they change without notice; programs have none."""
    metadata = json.loads(run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=sources))
    runtime = sources / "runtime"
    packages = (package for package in metadata["packages"] if Path(package["manifest_path"]).is_relative_to(runtime))
    packages = (package for package in packages if any("lib" in target["kind"] for target in package["targets"]))
    return {package["name"]: package["features"] for package in sorted(packages, key=lambda package: package["name"])}


def rustdoc(sources, crate, age):
    """The file with rustdoc's JSON of a crate, of `now` or of the baseline's commit: a folder for each, because the files of a commit have its time, and cargo
    would take the build of another one for theirs."""
    # A folder for each age: cargo takes two workspaces with crates of the same names for one.
    folder = TARGET / "api" / age
    run(
        ["cargo", "rustdoc", "--quiet", "-p", crate, "--lib", "--all-features", "--target-dir", str(folder),
         "--", "-Zunstable-options", "--output-format", "json", "--cap-lints", "allow"],
        cwd=sources, env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
    )  # fmt: skip
    return folder / "doc" / f"{crate.replace('-', '_')}.json"


# ---- 1. the lists ----------------------------------------------------------------------------------------------------


def public_items(document):
    lines = run([str(TOOLS / "cargo-public-api"), "-sss", "--color", "never", "--rustdoc-json", str(document)]).splitlines()
    lines = [ALIAS.sub(BOXED, line) for line in lines]
    return [line for line in lines if not INTERNAL.search(line)]


def judge_list(crate, items, bless):
    file = HERE / "lists" / f"{crate}.txt"
    if bless:
        file.write_text("\n".join(items) + "\n")
        return []
    listed = file.read_text().splitlines() if file.exists() else []
    gone, new = set(listed) - set(items), set(items) - set(listed)
    problems = [f"{crate}: no longer public, but in {file.relative_to(ROOT)}: {item}" for item in sorted(gone)]
    problems += [f"{crate}: public, but not in {file.relative_to(ROOT)}: {item}" for item in sorted(new)]
    if problems:
        problems.append(f"{crate}: if the change is wanted, run `judges/api/judge.py --bless` and commit the list")
    return problems


# ---- 2. breaks -------------------------------------------------------------------------------------------------------


def breaks(then, now):
    """The breaks between two documents, as pairs of a lint's name and an item without its place."""
    done = subprocess.run(
        [str(TOOLS / "cargo-semver-checks"), "semver-checks", "--color", "never", "--release-type", "minor",
         "--baseline-rustdoc", str(then), "--current-rustdoc", str(now)],
        text=True, capture_output=True,
    )  # fmt: skip
    # The failures are in its output, and its progress is beside it.
    if not re.search(r"Checked \[.*\] \d+ checks", done.stderr):
        raise Failed(f"cargo-semver-checks did not check:\n{done.stderr}")
    found, lint, listing = set(), None, False
    for line in done.stdout.splitlines():
        if start := re.match(r"--- failure (\w+):", line):
            lint, listing = start[1], False
        elif line == "Failed in:":
            listing = True
        elif listing and line.startswith("  "):
            found.add((lint, re.sub(r",? (previously )?(in|in file) \S+:\d+$", "", line.strip())))
        else:
            listing = False
    # A failure that this program could not read is not a pass.
    if done.returncode != 0 and not found:
        raise Failed(f"cargo-semver-checks failed in words that are not known here:\n{done.stdout}")
    return found


def judge_breaks(crate, found, accepted):
    listed = set()
    for entry in accepted:
        if entry["crate"] == crate:
            listed |= {(entry["lint"], item) for item in entry["items"]}
    problems = [f"{crate}: a break that judges/api/accepted.toml does not explain: {lint}: {item}" for lint, item in sorted(found - listed)]
    problems += [f"{crate}: judges/api/accepted.toml explains a break that is not there: {lint}: {item}" for lint, item in sorted(listed - found)]
    return problems


def public_names(items, kinds):
    """The names of the public items of these kinds. Items that are only in `checks` and `forms` are for the compiler's errors, not for programs."""
    found = (re.match(rf"pub (?:unsafe |const |async )*(?:{kinds}) ((?:\w+::)*)(\w+)", item) for item in items)
    return {match[2] for match in found if match and "::checks::" not in match[1] and "::forms::" not in match[1]}


# ---- 3. lines and features ---------------------------------------------------------------------------------------------


def item_of(line):
    """The path of the item that a line of a list is about, without generic parameters: the type of an `impl`; empty for a type without a path."""
    line = re.sub(r"^(#\[[^]]*\] )+", "", line.replace("->", "")).split(" where ")[0]
    while (plain := re.sub(r"<[^<>]*>", "", line)) != line:
        line = plain
    line = line.split(" for ")[-1] if line.startswith("impl ") else line
    path = re.search(r"\w+(?:::\w+)+", line.split("(")[0])
    return path[0] if path else ""


def gone_lines(then, now, found):
    """The lines of the baseline's list that are not in today's, without those of the breaks that are found. A break explains the lines of its item,
    and those of the item's members if the item is gone. Lines that only name the item are of other items."""
    # Many lints have words before the path: `struct a::B`, `method c in trait a::D`.
    broken = {path[0] for _, item in found if (path := re.search(r"\w+(?:::\w+)+", item))}
    there = {item_of(line) for line in now}
    explained = lambda item: item in broken or any(item.startswith(f"{path}::") for path in broken - there)
    return {line for line in set(then) - set(now) if not explained(item_of(line))}


def gone_features(then, now):
    """The features of the baseline that are not there, and what they no longer turn on: `default -> mcp`."""
    for name, members in then.items():
        if name not in now:
            yield name
            continue
        # Other crates and their features are how a feature does it, not what it promises.
        promised = {member for member in members if member in then}
        yield from (f"{name} -> {member}" for member in promised - set(now[name]))


def judge_gone(crate, what, gone, accepted):
    listed = {item for entry in accepted if entry["crate"] == crate for item in entry["items"]}
    problems = [f"{crate}: a {what} of the baseline is gone or changed, and judges/api/accepted.toml does not explain it: {item}" for item in sorted(gone - listed)]
    problems += [f"{crate}: judges/api/accepted.toml explains a {what} that is still there, or never was: {item}" for item in sorted(listed - gone)]
    return problems


# ---- 4. types that can grow ------------------------------------------------------------------------------------------


def closed_types(document, items):
    """The public types to which nothing can be added without a break."""
    data = json.loads(document.read_text())
    index = data["index"]
    types = public_names(items, "struct|enum")

    def closed(item):
        return not any("non_exhaustive" in str(attribute) for attribute in item["attrs"])

    for item in index.values():
        if item["crate_id"] != 0 or item["visibility"] != "public" or str(item["id"]) not in data["paths"]:
            continue
        path = "::".join(data["paths"][str(item["id"])]["path"])
        # The path is that of the definition, which can be in a private module.
        if INTERNAL.search(path) or item["name"] not in types:
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


# ---- 5. types of other crates ----------------------------------------------------------------------------------------


def foreign_types(items):
    for item in items:
        for path in re.finditer(r"(?<![\w:])([a-z]\w*)::(?:\w+::)*([A-Z]\w*)", item):
            if path[1] not in ("alloc", "core", "std") and not path[1].startswith("onionskin"):
                yield ("serde" if path[1] == "serde_core" else path[1]), path[2]


def judge_foreign(found):
    listed = defaultdict(set)
    section = (ROOT / "docs/design.md").read_text().split("### Types of other crates in the public API", 1)
    if len(section) != 2:
        return ["docs/design.md has no section `Types of other crates in the public API`"]
    for row in re.finditer(r"^\| `([\w-]+)` \| `(\w+)` \| ([^|]*) \|", section[1].split("\n## ", 1)[0], re.M):
        for name in re.findall(r"`(\w+)`", row[3]):
            listed[row[1]].add((row[2], name))
    problems = []
    for crate in sorted(found.keys() | listed.keys()):
        problems += [f"{crate}: {'::'.join(path)} is in the public API, but not in the table of docs/design.md" for path in sorted(found[crate] - listed[crate])]
        problems += [f"{crate}: {'::'.join(path)} is in the table of docs/design.md, but not in the public API" for path in sorted(listed[crate] - found[crate])]
    return problems


# ---- 6. the documentation --------------------------------------------------------------------------------------------


def undocumented(document, items):
    """What the documentation of a crate leaves out."""
    data = json.loads(document.read_text())
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
        if INTERNAL.search(path):
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
    bless = sys.argv[1:] == ["--bless"]
    accepted = tomllib.loads((HERE / "accepted.toml").read_text())
    if unknown := accepted.keys() - {"break", "line", "feature", "closed"}:
        raise Failed(f"judges/api/accepted.toml has tables that are not known: {sorted(unknown)}")
    of_crates = accepted.get("break", []) + accepted.get("line", []) + accepted.get("feature", [])
    for entry in of_crates + accepted.get("closed", []):
        if not entry.get("reason", "").strip() or not entry["items"]:
            raise Failed(f"an entry of judges/api/accepted.toml has no reason or no items: {entry}")
    crates = library_crates(ROOT)
    unknown = {entry["crate"] for entry in of_crates} - set(crates)
    if unknown:
        raise Failed(f"judges/api/accepted.toml names crates that are not in the workspace: {sorted(unknown)}")
    then, commit = baseline_sources()
    older = library_crates(then)
    print(f"the baseline is {commit[:12]}")

    problems, closed, foreign = [], set(), defaultdict(set)
    problems += [f"{crate} was in the baseline, and is not in the workspace" for crate in older if crate not in crates]
    for crate in crates:
        now = rustdoc(ROOT, crate, "now")
        items = public_items(now)
        if not items:
            raise Failed(f"{crate} has no public items, so its documents were not read")
        problems += judge_list(crate, items, bless)
        closed |= set(closed_types(now, items))
        foreign[crate] = set(foreign_types(items))
        problems += undocumented(now, items)
        # Nothing is gone from a crate that is new, so what `accepted.toml` says of it is not needed.
        found, lines, features = set(), set(), set()
        if crate in older:
            before = rustdoc(then, crate, f"then-{commit[:12]}")
            found = breaks(before, now)
            lines = gone_lines(public_items(before), items, found)
            features = set(gone_features(older[crate], crates[crate]))
        problems += judge_breaks(crate, found, accepted.get("break", []))
        problems += judge_gone(crate, "line", lines, accepted.get("line", []))
        problems += judge_gone(crate, "feature", features, accepted.get("feature", []))
        print(f"{crate}: {len(items)} public items, {len(found)} breaks, {len(foreign[crate])} types of other crates")
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
