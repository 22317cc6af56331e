//! What the compiler says where an agent needs a feature that is off. The program is one of its own, with the
//! dependency renamed and in edition 2021, because features of one build are features of all of it. And a program that forbids
//! a group of lints: a later rustc may refuse it, and cargo says so wherever a workspace has such a program.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const AGENT: &str = r#"
kit::agent! {
    Helper {
        crate: kit,
        instruction: "Help.",
        FIELD,
    }
}

fn main() {}
"#;

/// Programs with an agent that needs a feature which is off: their names, the field of the agent, and the error.
const FIELDS: [(&str, &str, &str); 6] = [
    ("mcp", "servers: [time]", "enable feature `mcp` of onionskin"),
    (
        "server_data",
        r#"servers: [docs], tools: { docs: [] }, resources: { docs: ["file:///guide/*"] }, prompts: { docs: [plan] }"#,
        "enable feature `mcp` of onionskin",
    ),
    ("shell", "runtime: [shell.execute]", "enable feature `shell` of onionskin"),
    ("human", "runtime: [human.input]", "enable feature `human-input` of onionskin"),
    (
        "filesystem",
        "runtime: [filesystem.read]",
        "`filesystem.read` uses files: enable feature `filesystem` of onionskin",
    ),
    ("skills", "runtime: [skills.read]", "enable feature `skills` of onionskin"),
];

const CARD: &str = r#"
kit::agent!(card = "cards/clerk.md", crate = kit);

fn main() {}
"#;

const PROGRAM: &str = r#"
kit::agent! { Helper { crate: kit, instruction: "Help." } }

kit::main!(Helper);
"#;

const PLAIN: &str = r#"
use kit::{agent, tool, tool_hook, Args, Next, ToolResult};

/// Adds one.
#[tool(crate = kit)]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(crate = kit)]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook(crate = kit)]
async fn named<'c>(ctx: &'c kit::ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = ctx;
    next.run(args).await
}

agent! {
    Worker { crate: kit, description: "Works.", instruction: "Work.", function_tools: [add_one], tool_hooks: [audit for [add_one], named] }
    Boss { crate: kit, instruction: "Lead.", agents: [Worker] }
}

fn main() {
    let _ = Boss::builder();
}
"#;

/// None of the macros says where the crate is.
const UNNAMED: &str = r#"
use kit::{agent, tool, tool_hook, Args};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
fn audit(args: &mut Args) {
    args.remove("y");
}

agent! {
    Worker { instruction: "Work.", function_tools: [add_one], tool_hooks: [audit] }
}

fn main() {
    let _ = Worker::builder();
}
"#;

/// The macros allow `dead_code`, which is in this group.
const FORBIDDEN: &str = r#"
#![forbid(unused)]
use kit::{Strict, agent, tool, tool_hook, Args};

/// Adds one.
#[tool(crate = kit, title = "Add", timeout = 30)]
async fn add_one(x: i64) -> i64 {
    x + 1
}

#[derive(Strict)]
#[strict(crate = kit)]
pub struct Query {
    pub words: String,
}

#[tool_hook(crate = kit)]
fn audit(args: &mut Args) {
    args.remove("y");
}

agent! {
    Worker { crate: kit, instruction: "Work.", function_tools: [add_one], tool_hooks: [audit] }
}

fn main() {
    let _ = (Worker::builder(), Query { words: String::new() }.words);
}
"#;

/// A package with these programs, in the target directory. It calls the facade `kit`.
static PACKAGE: LazyLock<PathBuf> = LazyLock::new(|| {
    let kit = kit("");
    let unnamed = format!("extern crate kit as onionskin;\n{UNNAMED}");
    let agents = FIELDS.map(|(name, field, _)| (name, AGENT.replace("FIELD", field)));
    let mut programs = vec![
        ("card", CARD),
        ("program", PROGRAM),
        ("plain", PLAIN),
        ("named_once", &unnamed),
        ("forbidden", FORBIDDEN),
    ];
    programs.extend(agents.iter().map(|(name, text)| (*name, &**text)));
    package("features", &kit, &programs)
});

/// A package with the feature `mcp`, and an agent that needs `mcp-http` too.
static WITH_MCP: LazyLock<PathBuf> = LazyLock::new(|| {
    let field = r#"servers: [web], headers: { web: { Cookie: "{session_state.cookie}" } }"#;
    package("with_mcp", &kit(r#"features = ["mcp"], "#), &[("headers", &AGENT.replace("FIELD", field))])
});

/// The facade, with these settings of the dependency.
fn kit(settings: &str) -> String {
    let runtime = root().join("runtime");
    format!(
        "{{ package = \"onionskin\", path = \"{}\", {settings}default-features = false }}",
        runtime.display()
    )
}

/// A library whose public items are for others.
const LIBRARY: &str = r#"
//! Tools and hooks for others.
#![deny(warnings, missing_docs, clippy::pedantic)]

use kit::message_hooks::message_hook;
use kit::question::AskError;
use kit::ui::ui_tool;
use kit::{guardrail, run_hook, tool, tool_hook, turn_hook, Args, Next, ToolContext, ToolOutput, ToolResult};

/// Adds one.
#[tool(crate = kit)]
#[must_use]
pub fn add_one(x: i64) -> i64 {
    x + 1
}

/// Asks for a name.
///
/// # Errors
/// If nobody answers.
#[ui_tool(component = "Name", crate = kit)]
pub async fn name(ctx: &ToolContext) -> Result<String, AskError> {
    ctx.ask("Which name?").await
}

/// Passes calls on.
///
/// # Errors
/// As the call inside.
#[tool_hook(crate = kit)]
pub async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

/// Marks results.
#[tool_hook(crate = kit)]
pub fn mark(#[config] mark: &str, output: &mut ToolOutput) {
    output.push_text(mark);
}

/// Looks at arguments.
///
/// # Errors
/// If they are long.
#[guardrail(input, crate = kit)]
pub fn short(args: &Args) -> Result<(), &'static str> {
    if args.text().len() > 100 { Err("this is too long") } else { Ok(()) }
}

/// Asks politely.
#[run_hook(pre, crate = kit)]
#[must_use]
pub fn politely(input: &str) -> String {
    format!("{input} Please.")
}

/// Looks at requests.
#[turn_hook(before_llm_call, crate = kit)]
pub fn look(request: &kit::turn_hooks::TurnRequest) {
    let _ = request.turn();
}

/// Looks at states.
#[message_hook(update_agent_state, crate = kit)]
pub fn note() {}
"#;

/// A package that has the crate through a library.
static THROUGH: LazyLock<PathBuf> = LazyLock::new(|| {
    let runtime = root().join("runtime");
    let kit = Path::new(env!("CARGO_TARGET_TMPDIR")).join("through/kit");
    fs::create_dir_all(kit.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"kit\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n\
         onionskin = {{ path = \"{}\", default-features = false }}\n",
        runtime.display()
    );
    fs::write(kit.join("Cargo.toml"), manifest).unwrap();
    fs::write(kit.join("src/lib.rs"), "pub use onionskin::*;\n").unwrap();
    package("through", "{ path = \"kit\" }", &[("through", UNNAMED)])
});

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn package(name: &str, kit: &str, programs: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(folder.join("src/bin")).unwrap();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\nkit = {kit}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for (name, text) in programs {
        fs::write(folder.join("src/bin").join(name).with_extension("rs"), text).unwrap();
    }
    folder
}

fn check(program: &str) -> (bool, String) {
    check_in(&PACKAGE, program)
}

fn check_in(folder: &Path, program: &str) -> (bool, String) {
    check_of(folder, &["--bin", program])
}

fn check_of(folder: &Path, what: &[&str]) -> (bool, String) {
    let mut cargo = onionskin_ui_tests::cargo(env!("CARGO_TARGET_TMPDIR"), "check");
    let output = cargo.args(what).current_dir(folder).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn errors(words: &str) -> usize {
    words.lines().filter(|line| line.starts_with("error") && !line.contains("could not compile")).count()
}

#[test]
fn a2_a_missing_feature_is_named_at_what_needs_it() {
    let (compiles, words) = check("plain");
    assert!(compiles, "{words}");
    assert!(!words.contains("src/bin"), "no warnings about the program: {words}");

    let fields = FIELDS.map(|(program, _, error)| (program, error, "6:19"));
    let others = [
        ("card", "enable feature `cards` of onionskin", "2:20"),
        ("program", "enable feature `cli` of onionskin", "4:1"),
    ];
    for (program, error, place) in fields.into_iter().chain(others) {
        let (compiles, words) = check(program);
        assert!(!compiles, "{program}");
        assert_eq!(errors(&words), 1, "{words}");
        assert!(words.contains(error), "{words}");
        assert!(words.contains(&format!("src/bin/{program}.rs:{place}")), "{words}");
    }
}

#[test]
fn a4_headers_name_their_missing_feature() {
    let (compiles, words) = check_in(&WITH_MCP, "headers");
    assert!(!compiles);
    assert_eq!(errors(&words), 1, "{words}");
    assert!(words.contains("enable feature `mcp-http` of onionskin"), "{words}");
    assert!(words.contains("src/bin/headers.rs:6:36"), "{words}");
}

/// Items that others use are used; `ui-tests/tests/fail/unused` has those that nothing uses.
#[test]
fn a2_public_items_give_no_warning() {
    let folder = package("library", &kit(""), &[]);
    fs::write(folder.join("src/lib.rs"), LIBRARY).unwrap();
    let (compiles, words) = check_of(&folder, &["--lib"]);
    assert!(compiles && words.is_empty(), "{words}");
}

/// `Cargo.toml` of the package calls it `kit`.
#[test]
fn t10_a_renamed_dependency_is_named_once() {
    let (compiles, words) = check("named_once");
    assert!(compiles && words.is_empty(), "{words}");
}

/// The words are rustc's; The book quotes them and says what to write.
#[test]
fn t10_a_dependency_that_is_re_exported_and_not_named_is_one_error_at_each_macro() {
    let (compiles, words) = check_in(&THROUGH, "through");
    assert!(!compiles);
    let missing = "could not find `onionskin` in the list of imported crates";
    assert_eq!((errors(&words), words.matches(missing).count()), (3, 3), "{words}");
    for place in ["5:1", "10:1", "15:1"] {
        assert!(words.contains(&format!("src/bin/through.rs:{place}")), "{words}");
    }
    let page = root().join("docs/book/src/reference/errors/rustc.md");
    assert!(fs::read_to_string(page).unwrap().contains(missing));
}

#[test]
fn a2_a_program_may_forbid_what_is_unused() {
    let (compiles, words) = check("forbidden");
    assert!(compiles, "{words}");
    assert!(
        words.contains("overruled by previous forbid"),
        "the group has a lint that the macros allow: {words}"
    );
}

#[test]
fn every_feature_is_on_in_the_tests_of_the_workspace() {
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let manifest = read("runtime/Cargo.toml");
    let features = manifest.split_once("[features]").unwrap().1.split("\n[").next().unwrap();
    let features: Vec<_> = features.lines().filter_map(|line| line.split_once(" = [")).collect();
    assert!(features.len() > 8, "{features:?}");
    let (_, defaults) = features.iter().find(|(name, _)| *name == "default").unwrap();
    let examples = read("examples/Cargo.toml");
    let examples: Vec<_> = examples.lines().filter(|line| line.starts_with("onionskin = ")).collect();
    assert_eq!(examples.len(), 2, "for the examples and for their tests");
    for (name, _) in features.iter().filter(|(name, _)| *name != "default") {
        let quoted = format!("\"{name}\"");
        let is_on = defaults.contains(&quoted) || examples.iter().any(|line| line.contains(&quoted));
        assert!(is_on, "no test has the feature `{name}`");
    }
}
