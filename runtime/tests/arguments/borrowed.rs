//! T3, T7, H1: parameters that a function borrows, from every source.
#![deny(clippy::needless_pass_by_value)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use onionskin::definition::ToolSource;
use onionskin::run::{IdempotencyKey, Team};
use onionskin::{
    Args, CancellationToken, Next, Progress, ScriptedModel, ScriptedTurn, State, Strict, Tool, ToolContext,
    ToolOutput, ToolResult, agent, guardrail, tool, tool_hook, toolbox,
};
use serde_json::json;

#[derive(Clone, Debug)]
struct Desk {
    root: PathBuf,
    draft: Option<PathBuf>,
    steps: Arc<Mutex<Vec<String>>>,
}

fn desk() -> Desk {
    Desk { root: "/desk".into(), draft: None, steps: Arc::default() }
}

async fn run<T: Tool + Default>(args: &str) -> ToolResult {
    let cx = ToolContext::detached_with_state(T::NAME, desk());
    T::default().run(&cx, &mut Args::from(args)).await
}

async fn call_text<T: Tool + Default>(args: &str) -> String {
    match run::<T>(args).await {
        Ok(output) => output.to_text().into_owned(),
        Err(exit) => exit.to_string(),
    }
}

/// Joins two paths.
#[tool]
fn join(
    root: &Path,
    rest: Option<&Path>,
    #[arg(default = "note.txt")] file: &std::path::Path,
    #[arg(default = None)] suffix: Option<&str>,
) -> String {
    let path = root.join(rest.unwrap_or_else(|| Path::new("."))).join(file);
    format!("{}{}", path.display(), suffix.unwrap_or_default())
}

/// Waits, then joins.
#[tool]
async fn join_later(root: &Path, rest: Option<&Path>, text: &str) -> PathBuf {
    tokio::task::yield_now().await;
    root.join(rest.unwrap_or_else(|| Path::new("."))).join(text)
}

/// Joins on a thread.
#[tool(blocking)]
fn join_there(root: &Path, rest: Option<&Path>) -> PathBuf {
    rest.map_or_else(|| root.to_owned(), |rest| root.join(rest))
}

/// Joins the values of the state.
#[tool(state = Desk)]
async fn join_state(
    #[bind(root)] root: &Path,
    #[bind(draft)] draft: Option<&Path>,
    #[bind("desk.file", default = "note.txt")] file: &Path,
) -> String {
    format!("{} {}", root.join(file).display(), draft.is_some())
}

#[tokio::test]
async fn t3_a_path_is_borrowed_as_text_is() {
    assert_eq!(call_text::<join>(r#"{"root":"/a"}"#).await, "/a/./note.txt");
    let all = r#"{"root":"/a\u0062","rest":"c","file":"d","suffix":"!"}"#;
    assert_eq!(call_text::<join>(all).await, "/ab/c/d!");
    assert_eq!(call_text::<join_later>(r#"{"root":"/a","rest":"b","text":"c"}"#).await, "/a/b/c");
    assert_eq!(call_text::<join_there>(r#"{"root":"/a","rest":"b"}"#).await, "/a/b");
    assert_eq!(call_text::<join_state>("{}").await, "/desk/note.txt false");
    assert_eq!(
        join(Path::new("/a"), None, Path::new("b"), None),
        "/a/./b",
        "the function is as it was written"
    );

    let words = call_text::<join>(r#"{"root":5}"#).await;
    assert!(words.contains("`root`: expected a string"), "{words}");
    let definition = join::default().definition().clone();
    let schema = &definition.input_schema["properties"];
    assert_eq!(schema["root"], json!({ "type": "string" }));
    assert_eq!(schema["rest"], json!({ "type": ["string", "null"] }));
    assert_eq!(schema["file"], json!({ "type": "string", "default": "note.txt" }));
    assert_eq!(join::spec().signature(), "join(root, rest=null, file=\"note.txt\", suffix=null)");
}

/// Reads strictly.
#[tool(strict)]
fn strictly(root: &Path) -> usize {
    root.as_os_str().len()
}

mod own {
    /// A custom type with the name of a standard type.
    #[derive(serde::Deserialize, schemars::JsonSchema, Clone)]
    pub struct Path {
        pub steps: Vec<String>,
    }

    /// A custom type with the name of one of ours.
    #[derive(serde::Deserialize, schemars::JsonSchema, Debug, Clone, Copy)]
    pub enum State {
        Open,
        Closed,
    }

    /// Walks.
    #[onionskin::tool]
    pub fn walk(
        path: &Path,
        then: Option<&Path>,
        state: State,
        states: &[State],
        again: Option<State>,
    ) -> String {
        let steps = path.steps.len() + then.map_or(0, |then| then.steps.len());
        format!("{steps} {state:?} {states:?} {again:?}")
    }
}

#[tokio::test]
async fn t3_a_type_that_is_called_as_another_is_what_it_is() {
    fn is_strict<T: Strict + ?Sized>() {}
    let args = r#"{"path":{"steps":["a"]},"then":{"steps":["b","c"]},"state":"Open","states":["Closed"]}"#;
    assert_eq!(call_text::<own::walk>(args).await, "3 Open [Closed] None");
    assert_eq!(call_text::<strictly>(r#"{"root":"/ab"}"#).await, "3");
    is_strict::<Path>();
}

fn note(desk: &State<Desk>, step: &str) {
    desk.steps.lock().unwrap().push(step.to_owned());
}

/// Notes.
#[tool]
fn note_now(desk: &State<Desk>) -> usize {
    note(desk, "now");
    desk.steps.lock().unwrap().len()
}

/// Notes later, and is given all that the runtime has.
#[tool(hooks = [around], input_guardrails = [look], output_guardrails = [look_back])]
async fn note_later(
    desk: &State<Desk>,
    word: &str,
    token: &CancellationToken,
    progress: &Progress,
    key: &IdempotencyKey,
    team: &Team,
    source: &ToolSource,
) -> String {
    tokio::task::yield_now().await;
    progress.report(1.0, None, None);
    note(desk, word);
    format!("{} {} {source:?} {}", token.is_cancelled(), !key.as_str().is_empty(), team.parent().is_none())
}

/// Notes on a thread.
#[tool(blocking)]
fn note_there(desk: &State<Desk>) {
    note(desk, "there");
}

#[tool_hook]
async fn around(desk: &State<Desk>, args: &mut Args, next: impl Next) -> ToolResult {
    note(desk, "around");
    next.run(args).await
}

#[tool_hook]
fn before(desk: &State<Desk>, args: &mut Args) {
    let _ = args;
    note(desk, "before");
}

#[tool_hook]
async fn after(desk: &State<Desk>, result: &mut ToolResult) {
    let _ = result;
    note(desk, "after");
}

#[guardrail(input)]
fn look(desk: &State<Desk>, args: &Args) {
    let _ = args;
    note(desk, "look");
}

#[guardrail(output)]
async fn look_back(desk: &State<Desk>, output: &mut ToolOutput) {
    let _ = output;
    note(desk, "look back");
}

#[derive(Default)]
struct Notes;

#[toolbox]
impl Notes {
    /// Notes by a method.
    #[tool]
    async fn note_by(&self, desk: &State<Desk>, path: &Path) -> usize {
        note(desk, &path.display().to_string());
        desk.steps.lock().unwrap().len()
    }
}

agent! {
    Clerk {
        instruction: "Take notes.",
        state: Desk,
        function_tools: [note_now, note_later, note_there],
        toolboxes: [Notes],
        tool_hooks: [before, after],
    }
}

#[tokio::test]
async fn t7_h2_what_is_injected_is_taken_by_reference_too() {
    assert_eq!(call_text::<note_now>("{}").await, "1");
    let turns = [
        ScriptedTurn::call("note_later", json!({ "word": "later" })),
        ScriptedTurn::call("note_there", json!({})),
        ScriptedTurn::call("note_by", json!({ "path": "a/b" })),
        ScriptedTurn::say("{last}"),
    ];
    let desk = desk();
    let clerk = Clerk::builder().model(ScriptedModel::new().agent("Clerk", turns)).state(desk.clone());
    let output = clerk.toolbox(Notes).build().await.unwrap().run("Take notes.").await.unwrap();
    assert_eq!(output.text, "11");
    let steps = desk.steps.lock().unwrap().join(", ");
    assert_eq!(
        steps,
        "before, around, look, later, look back, after, before, there, after, before, a/b, after"
    );
}

/// Takes a text and gives nothing.
#[tool]
fn gives_nothing(text: &str) {
    let _ = text;
}

#[test]
fn t3_a_tool_that_borrows_and_gives_nothing_is_a_tool_of_a_known_type() {
    fn arguments<T: onionskin::typed::TypedTool>() -> &'static str {
        std::any::type_name::<T::Output>()
    }
    assert_eq!(arguments::<gives_nothing>(), "()");
}
