//! H2: `#[bind(..)]` on the parameters of hooks and guardrails.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{
    Args, Next, RunError, ScriptedModel, ScriptedTurn, Secret, State, ToolOutput, ToolResult, agent,
    guardrail, tool, tool_hook,
};
use serde_json::json;

#[derive(Clone, Default, onionskin::secret::VisitSecrets)]
struct Shop {
    limits: Limits,
    log: Log,
}

#[derive(Clone, onionskin::secret::VisitSecrets)]
struct Limits {
    most: i64,
    unit: Option<String>,
    key: Secret<String>,
    root: PathBuf,
}

impl Default for Limits {
    fn default() -> Self {
        Self { most: 10, unit: None, key: "open sesame".to_owned().into(), root: "/shop".into() }
    }
}

type Log = Arc<Mutex<Vec<String>>>;

fn note(log: &Log, word: impl Into<String>) {
    log.lock().unwrap().push(word.into());
}

#[guardrail(input, state = Shop)]
fn at_most(#[bind(limits.most)] most: i64, #[bind(log)] log: &Log, args: &Args) -> Result<(), String> {
    note(log, "at_most");
    if args["count"].as_i64().unwrap_or_default() > most { Err(format!("at most {most}")) } else { Ok(()) }
}

#[guardrail(output, state = Shop)]
async fn in_unit(
    #[bind(limits.unit)] unit: Option<&str>,
    #[bind("shop.currency", default = "EUR")] currency: String,
    #[bind(log)] log: &Log,
    output: &mut ToolOutput,
) {
    tokio::task::yield_now().await;
    note(log, "in_unit");
    output.push_text(format!("{} {currency}", unit.unwrap_or("pieces")));
}

#[guardrail(input)]
fn with_state(shop: State<Shop>, #[bind(limits.root)] root: &Path, args: &mut Args) {
    note(&shop.log, root.display().to_string());
    let _ = args;
}

#[tool_hook(state = Shop)]
async fn around(#[bind(log)] log: &Log, args: &mut Args, next: impl Next) -> ToolResult {
    note(log, "around");
    let mut result = next.run(args).await?;
    result.push_text("around");
    Ok(result)
}

#[tool_hook(state = Shop)]
fn before(#[bind(limits.key)] key: &Secret<String>, #[bind(log)] log: &Log, args: &mut Args) {
    note(log, format!("before {}", key.expose().len()));
    args.insert("note", json!(key.expose())).unwrap();
}

#[tool_hook(state = Shop)]
async fn after(
    #[bind(log)] log: Log,
    #[bind("shop.currency")] currency: Option<String>,
    result: &mut ToolResult,
) {
    let _ = result;
    note(&log, format!("after {currency:?}"));
}

#[tool_hook(tool = order_plainly, state = Shop)]
async fn doubled(
    #[bind(limits.most)] most: i64,
    mut args: ArgsOf<order_plainly>,
    next: impl TypedNext<order_plainly>,
) -> ToolResult<String> {
    args.count = (args.count * 2).min(most);
    next.run(args).await
}

/// Orders.
#[tool(input_guardrails = [with_state, at_most], output_guardrails = [in_unit], hooks = [around])]
fn order(count: i64, note: String) -> String {
    format!("{count} {note}")
}

/// Orders plainly.
#[tool]
fn order_plainly(count: i64, note: Option<String>) -> String {
    format!("{count} {}", note.is_some())
}

agent! {
    Clerk {
        instruction: "Sell.",
        state: Shop,
        function_tools: [order, order_plainly],
        tool_hooks: [before, after, doubled],
    }
}

async fn run(tool: &str, count: i64) -> (Result<String, RunError>, Vec<String>) {
    let shop = Shop::default();
    let turns =
        [ScriptedTurn::call(tool, json!({ "count": count, "note": "" })), ScriptedTurn::say("{last}")];
    let clerk = Clerk::builder().model(ScriptedModel::new().agent("Clerk", turns)).state(shop.clone());
    let output = clerk.build().await.unwrap().run("Sell.").await;
    let log = shop.log.lock().unwrap().clone();
    (output.map(|output| output.text), log)
}

#[tokio::test]
async fn h2_the_state_fills_parameters_of_hooks_and_guardrails() {
    let (text, log) = run("order", 5).await;
    let text = text.unwrap();
    assert!(text.starts_with("5 ") && text.contains("pieces EUR") && text.ends_with("around"), "{text}");
    assert!(!text.contains("open sesame"), "a bound secret is known to the run: {text}");
    assert_eq!(log, ["before 11", "around", "/shop", "at_most", "in_unit", "after None"]);

    let (text, log) = run("order", 11).await;
    assert!(text.unwrap().contains("at most 10"));
    assert_eq!(log, ["before 11", "around", "/shop", "at_most", "after None"]);

    let (text, log) = run("order_plainly", 4).await;
    assert_eq!(text.unwrap(), "8 true");
    assert_eq!(log, ["before 11", "after None"]);
    assert!(run("order_plainly", 9).await.0.unwrap().starts_with("10 "));
}
