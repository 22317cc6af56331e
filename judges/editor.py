#!/usr/bin/env python3
"""Asks a real rust-analyzer what an editor shows inside of the macros, and prints a table of what holds.

usage: judges/editor.py [RUST_ANALYZER [PROC_MACRO_SERVER]]

It is run by hand: rust-analyzer takes up to a minute and 2 GB. Get it with `rustup component add rust-analyzer`, or with
`cargo install ra_ap_rust-analyzer`. The proc-macro server belongs to the toolchain: `libexec/rust-analyzer-proc-macro-srv`
in `rustc --print sysroot`. Without `rustup component add rust-src`, the types of the standard library are unknown. A program is
written to `judges/.kit/editor` and opened there. The exit code is 1 if a line does not hold.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "judges" / ".kit" / "editor"

MAIN = '''\
mod shop;

use onionskin::{Args, Next, ToolContext, ToolResult, agent, guardrail, tool, tool_hook, toolbox};
use onionskin::typed::{ArgsOf, TypedNext};

/// Who is served.
#[derive(Clone, Default)]
pub struct Desk {
    /// The name of who is served.
    pub user_name: String,
    pub budget: u32,
}

/// Adds one to a number.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Greets.
#[tool(state = Desk, timeout = "5s", effect = pure)]
fn greet(#[bind(user_name)] who: String, #[arg(default = 3)] times: u8, ctx: &ToolContext) -> String {
    format!("{who} {times} {}", ctx.tool_name())
}

/// Notes each call.
#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

/// Tries again.
#[tool_hook]
async fn retry(#[config] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = times;
    next.run(args).await
}

/// Adds to the number.
#[tool_hook(tool = add_one)]
async fn larger(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

/// Refuses nothing.
#[guardrail(input)]
fn allow(args: &Args) {
    let _ = args;
}

pub struct Kb {
    pub pages: Vec<String>,
}

#[toolbox]
impl Kb {
    /// Finds a page.
    #[tool(timeout = "1s")]
    fn find(&self, word: String) -> String {
        word
    }
}

agent! {
    pub Helper {
        instruction: "Help.",
        description: "Helps.",
        function_tools: [shop::search],
    }
    pub Clerk {
        instruction: "Do sums.",
        state: Desk,
        function_tools: [add_one, greet],
        toolboxes: [Kb],
        agents: [Helper],
        tool_hooks: [audit, retry(3) for [add_one], larger],
        limits: { turns: 10 },
        effect: once,
    }
}

fn plain(ctx: &ToolContext) {
    let _ = ctx;
}

pub async fn plain_hook(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {
    let _ = Clerk::builder();
    let _ = shop::search("x");
    let _ = plain;
}
'''

SHOP = '''\
use onionskin::tool;

/// Searches the shop.
#[tool]
pub fn search(query: &str) -> String {
    query.to_owned()
}

/// Counts the shop.
#[tool]
pub fn stock_count(article: &str) -> u32 {
    article.len() as u32
}
'''

# What our macros write and no user does.
GENERATED = re.compile(r"__|HookAsWritten|ArgsOf_|StatesOf_|raCompletionMarker")


class Editor:
    """A client of a language server, with one open file."""

    def __init__(self, program, server, has_std):
        self.uri = (PROGRAM / "src" / "main.rs").as_uri()
        self.answers, self.notes, self.count, self.version = {}, [], 0, 1
        self.changed = threading.Condition()
        self.settings = {
            "cargo": {"sysroot": "discover" if has_std else None, "buildScripts": {"enable": True}},
            "procMacro": {"enable": True, "attributes": {"enable": True}, "server": server},
            "checkOnSave": False,
            "cachePriming": {"enable": False},
        }
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=PROGRAM
        )
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        out = self.process.stdout
        while line := out.readline():
            length = 0
            while line.strip():
                name, value = line.decode().split(":", 1)
                length = int(value) if name.lower() == "content-length" else length
                line = out.readline()
            message = json.loads(out.read(length))
            if "method" in message and "id" in message:
                wanted = message["params"].get("items", []) if message["method"] == "workspace/configuration" else []
                self.send({"id": message["id"], "result": [self.settings for _ in wanted] or None})
                continue
            with self.changed:
                if "method" in message:
                    self.notes.append(message)
                else:
                    self.answers[message["id"]] = message
                self.changed.notify_all()

    def ask(self, method, **params):
        self.count += 1
        number = self.count
        self.send({"id": number, "method": method, "params": params})
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers, timeout=180):
                raise TimeoutError(method)
            answer = self.answers.pop(number)
        return answer.get("result")

    def tell(self, method, **params):
        self.send({"method": method, "params": params})

    def start(self):
        item = {"snippetSupport": False, "documentationFormat": ["plaintext"]}
        capabilities = {
            "textDocument": {
                "completion": {"completionItem": item},
                "hover": {"contentFormat": ["plaintext"]},
                "definition": {"linkSupport": False},
                "publishDiagnostics": {},
            },
            "workspace": {"configuration": True},
            "experimental": {"serverStatusNotification": True},
        }
        folder = {"uri": PROGRAM.as_uri(), "name": "edit"}
        self.ask(
            "initialize",
            processId=None,
            rootUri=folder["uri"],
            capabilities=capabilities,
            initializationOptions=self.settings,
            workspaceFolders=[folder],
        )
        self.tell("initialized")
        document = {"uri": self.uri, "languageId": "rust", "version": 1, "text": MAIN}
        self.tell("textDocument/didOpen", textDocument=document)

        def is_ready():
            states = [note["params"] for note in self.notes if note["method"] == "experimental/serverStatus"]
            return bool(states) and states[-1].get("quiescent")

        with self.changed:
            if not self.changed.wait_for(is_ready, timeout=600):
                raise TimeoutError("rust-analyzer does not get ready")

    def write(self, text):
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def at(self, text, offset):
        before = text[:offset]
        place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
        return {"textDocument": {"uri": self.uri}, "position": place}

    def on(self, marked):
        """The position of `|` in words of the program."""
        return self.at(MAIN, MAIN.index(marked.replace("|", "", 1)) + marked.index("|"))

    def hover(self, marked):
        found = self.ask("textDocument/hover", **self.on(marked))
        return found["contents"]["value"] if found else ""

    def goto(self, marked):
        """The lines that it goes to, each with its file."""
        found = self.ask("textDocument/definition", **self.on(marked)) or []
        lines = []
        for place in found if isinstance(found, list) else [found]:
            path = pathlib.Path(place["uri"].removeprefix("file://"))
            lines.append(path.name + ": " + path.read_text().splitlines()[place["range"]["start"]["line"]].strip())
        return sorted(set(lines))

    def complete(self, old, new):
        """The completions at `|`, in the order in which an editor shows it."""
        assert MAIN.count(old) == 1, old
        text = MAIN.replace(old, new)
        offset = text.index("|")
        text = text.replace("|", "", 1)
        self.write(text)
        found = self.ask("textDocument/completion", **self.at(text, offset)) or []
        self.write(MAIN)
        items = found["items"] if isinstance(found, dict) else found
        items = sorted(items, key=lambda item: item.get("sortText", item["label"]))
        return {item["label"].split("(")[0].removesuffix("::").strip(): item for item in items}

    def renamed(self, marked, name):
        changes = (self.ask("textDocument/rename", newName=name, **self.on(marked)) or {}).get("documentChanges", [])
        lines = [edit["range"]["start"]["line"] for change in changes for edit in change.get("edits", [])]
        return sorted(MAIN.splitlines()[line].strip() for line in lines)

    def problems(self):
        found = self.ask("textDocument/diagnostic", textDocument={"uri": self.uri})["items"]
        # Without the standard library, an array does not become a slice.
        has_std = self.settings["cargo"]["sysroot"]
        return sorted({problem["message"] for problem in found if has_std or problem.get("code") != "E0308"})

    def stop(self):
        try:
            self.ask("shutdown")
            self.tell("exit")
            self.process.wait(10)
        except (TimeoutError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


class Table:
    def __init__(self):
        self.failed = 0

    def row(self, holds, what, shown):
        self.failed += not holds
        shown = " ".join((shown if isinstance(shown, str) else ", ".join(shown)).split())
        shown = shown if len(shown) <= 72 else shown[:70] + ".."
        print(f"{'ok ' if holds else 'NOT'}  {what:<62}  {shown}".rstrip(), flush=True)


def hovers(editor, table):
    words = [
        ("a tool", "function_tools: [add|_one", ["fn add_one(x: i64) -> i64", "Adds one to a number."]),
        ("a tool behind a path", "[shop::sea|rch]", ["fn search(query: &str)", "Searches the shop."]),
        ("a hook", "tool_hooks: [aud|it", ["fn audit(", "Notes each call."]),
        ("a hook with values", "ret|ry(3)", ["fn retry(", "Tries again."]),
        ("a tool in a filter", "for [add_|one]", ["fn add_one(x: i64) -> i64"]),
        ("a child", "agents: [Hel|per]", ["struct Helper"]),
        ("a toolbox", "toolboxes: [K|b]", ["struct Kb"]),
        ("the state", "state: De|sk,", ["struct Desk", "Who is served."]),
        ("a field of `agent!`", "function|_tools: [add_one", ["functions, types that implement"]),
        ("a limit", "tur|ns: 10", ["model turns"]),
        ("a word of `agent!`", "effect: on|ce", ["does not run again"]),
        ("an option of `#[tool]`", "time|out = \"5s\"", ["one attempt may take"]),
        ("an option's word", "effect = pu|re", ["changes nothing"]),
        ("an option of a parameter", "#[arg(def|ault = 3)]", ["a missing argument"]),
        ("a bound field", "#[bind(user|_name)]", ["user_name: ", "The name of who is served."]),
        ("the tool of a typed hook", "(tool = add|_one)", ["fn add_one(x: i64) -> i64"]),
        ("a tool's function", "fn add_|one(x", ["fn add_one(x: i64) -> i64", "Adds one to a number."]),
        ("a tool's parameter", "add_one(x|: i64", ["x: i64"]),
    ]
    for what, marked, wanted in words:
        shown = editor.hover(marked)
        table.row(
            all(words in shown for words in wanted) and not GENERATED.search(shown.replace("__private0", "")),
            f"hover: {what}",
            shown,
        )


def gotos(editor, table):
    places = [
        ("a tool", "function_tools: [add|_one", "main.rs: fn add_one(x: i64) -> i64 {"),
        ("a tool behind a path", "[shop::sea|rch]", "shop.rs: pub fn search(query: &str) -> String {"),
        ("a hook", "tool_hooks: [aud|it", "main.rs: async fn audit(args: &mut Args, next: impl Next) -> ToolResult {"),
        ("a child", "agents: [Hel|per]", "main.rs: pub Helper {"),
        ("the state", "state: De|sk,", "main.rs: pub struct Desk {"),
        ("a bound field", "#[bind(user|_name)]", "main.rs: pub user_name: String,"),
    ]
    for what, marked, wanted in places:
        found = editor.goto(marked)
        table.row(found == [wanted], f"goto: {what}", found)


def completions(editor, table):
    tools, hooks = "function_tools: [add_one, greet]", "tool_hooks: [audit, retry(3) for [add_one], larger]"
    limits, body = "limits: { turns: 10 }", 'format!("{who} {times} {}", ctx.tool_name())'
    # The text that is written instead, the completions that must be offered, and whether nothing else may be.
    keys = [
        ("a field of `agent!`", limits, limits + ", max_|", ["max_parallel", "max_display_instances"]),
        ("a field, nothing typed", limits, limits + ", |", ["max_parallel", "request_params"]),
        ("a limit", limits, "limits: { tu| }", ["turns", "time_sec"]),
        ("a limit, nothing typed", limits, "limits: { | }", ["turns", "time_sec"]),
        ("a request parameter", limits, "request_params: { te| }", ["temperature"]),
        ("a word of `effect`", "effect: once", "effect: |", ["once", "idempotent"]),
        ("an option of `#[tool]`", "#[tool]\nfn add_one", "#[tool(|)]\nfn add_one", ["timeout", "hooks"]),
        ("the same, half typed", "#[tool]\nfn add_one", "#[tool(ti|)]\nfn add_one", ["timeout", "title"]),
        ("a second option", 'timeout = "5s", effect = pure', 'timeout = "5s", |', ["effect", "hooks"]),
        ("a hint", "effect = pure", "annotations(re|)", ["read_only"]),
        ("an option of `#[arg]`", "#[arg(default = 3)]", "#[arg(|)]", ["default", "range"]),
        ("an option of `#[tool_hook]`", "#[tool_hook(tool = add_one)]", "#[tool_hook(|)]", ["before", "tool"]),
        ("an option of `#[guardrail]`", "#[guardrail(input)]", "#[guardrail(|)]", ["input", "output"]),
        ("an option of `#[toolbox]`", "#[toolbox]", "#[toolbox(|)]", ["instructions", "parts"]),
        ("an option of a method", '#[tool(timeout = "1s")]', "#[tool(|)]", ["timeout", "effect"]),
    ]
    for what, old, new, wanted in keys:
        found = editor.complete(old, new)
        documented = all(found[name].get("documentation") for name in wanted if name in found)
        table.row(set(wanted) <= set(found) and documented and len(found) < 30, f"complete: {what}", list(found))
    names = [
        ("a tool", tools, "function_tools: [add|]", ["add_one", "greet", "shop"]),
        ("a tool, nothing typed", tools, "function_tools: [|]", ["add_one", "greet", "shop"]),
        ("a second tool", tools, "function_tools: [add_one, |]", ["add_one", "greet", "shop"]),
        ("a tool behind a path", tools, "function_tools: [shop::|]", ["search", "stock_count"]),
        ("the same, half typed", tools, "function_tools: [add_one, shop::s|]", ["search", "stock_count"]),
        ("a hook", hooks, "tool_hooks: [au|]", ["audit", "retry"]),
        ("a hook, nothing typed", hooks, "tool_hooks: [|]", ["audit", "retry"]),
        ("a tool in a filter", hooks, "tool_hooks: [audit for [ad|]]", ["add_one"]),
        ("the state", "state: Desk,", "state: De|,", ["Desk"]),
        ("a child", "agents: [Helper]", "agents: [He|]", ["Helper"]),
        ("a toolbox", "toolboxes: [Kb]", "toolboxes: [K|]", ["Kb"]),
        ("a bound field", "#[bind(user_name)]", "#[bind(|)]", ["user_name", "budget"]),
        ("the same, half typed", "#[bind(user_name)]", "#[bind(us|)]", ["user_name", "budget"]),
        ("the state of a tool", "state = Desk", "state = De|", ["Desk"]),
        ("the tool of a typed hook", "(tool = add_one)", "(tool = add|)", ["add_one"]),
        ("a hook of a tool", "effect = pure", "hooks = [au|]", ["audit"]),
        ("the type of a parameter", "fn add_one(x: i64)", "fn add_one(x: Des|)", ["Desk"]),
        ("the typed arguments of a hook", "next.run(args).await\n}\n\n/// Refuses", "args.|\n}\n\n/// Refuses", ["x"]),
        ("what an agent has", "Clerk::builder()", "Clerk::|", ["builder", "run", "stream"]),
        ("how an agent is built", "Clerk::builder()", "Clerk::builder().|", ["model", "build", "state"]),
        ("what a tool has", "let _ = plain;", "let _ = add_one::|;", ["spec"]),
        ("what a toolbox has", "let _ = plain;", "let _ = Kb::|;", ["find", "tool_names"]),
        ("a value", "let _ = plain;", "let _ = add|;", ["add_one"]),
    ]
    for what, old, new, wanted in names:
        found = editor.complete(old, new)
        holds = set(wanted) <= set(found) and not any(GENERATED.search(name) for name in found)
        table.row(holds, f"complete: {what}", list(found))
    # A body is completed as that of a plain function.
    plain, plain_hook = "let _ = ctx;", "pub async fn plain_hook(args: &mut Args, next: impl Next) -> ToolResult {\n    next.run(args).await"
    hook = "async fn audit(args: &mut Args, next: impl Next) -> ToolResult {\n    next.run(args).await"
    head, plain_head = hook.split("\n")[0] + "\n    ", plain_hook.split("\n")[0] + "\n    "
    bodies = [
        ("a tool's `ctx.`", body, "let n = ctx.|; n.to_string()", plain, "let n = ctx.|; n.to_string();"),
        ("a tool's `ctx.`, not ended", body, "ctx.|", plain, "ctx.|"),
        ("a hook's `next.`", hook, head + "next.|", plain_hook, plain_head + "next.|"),
        ("a hook's `args.`", hook, head + "args.|; next.run(args).await", plain_hook, plain_head + "args.|; next.run(args).await"),
        (
            "a hook's result",
            hook,
            head + "let mut r = next.run(args).await?; r.|; Ok(r)",
            plain_hook,
            plain_head + "let mut r = next.run(args).await?; r.|; Ok(r)",
        ),
    ]
    for what, old, new, plain_old, plain_new in bodies:
        found, wanted = editor.complete(old, new), editor.complete(plain_old, plain_new)
        table.row(list(found) == list(wanted), f"complete as in a plain function: {what}", list(found))


def main():
    rustc = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True, cwd=ROOT)
    sysroot = pathlib.Path(rustc.stdout.strip())
    has_std = (sysroot / "lib" / "rustlib" / "src").exists()
    given = dict(enumerate(sys.argv[1:]))
    program = given.get(0) or shutil.which("rust-analyzer")
    server = given.get(1) or str(sysroot / "libexec" / "rust-analyzer-proc-macro-srv")
    (PROGRAM / "src").mkdir(parents=True, exist_ok=True)
    (PROGRAM / "src" / "main.rs").write_text(MAIN)
    (PROGRAM / "src" / "shop.rs").write_text(SHOP)
    (PROGRAM / "Cargo.toml").write_text(
        '[package]\nname = "edit"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n'
        f'[dependencies]\nonionskin = {{ path = "{ROOT / "runtime"}" }}\n'
    )
    subprocess.run(["cargo", "check", "--quiet"], cwd=PROGRAM, check=True)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(version + (", with" if has_std else ", without") + " the sources of the standard library")
    editor, table = Editor(program, server, has_std), Table()
    try:
        editor.start()
        time.sleep(1)
        hovers(editor, table)
        gotos(editor, table)
        completions(editor, table)
        lines = editor.renamed("fn add_|one(x", "add_two")
        table.row(len(lines) >= 4 and any("function_tools" in line for line in lines), "rename: a tool's function", lines)
        problems = editor.problems()
        table.row(not problems, "problems: none in a good program", problems)
    finally:
        editor.stop()
    print(f"{table.failed} lines do not hold" if table.failed else "all lines hold")
    sys.exit(table.failed > 0)


if __name__ == "__main__":
    main()
