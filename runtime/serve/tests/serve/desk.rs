//! The server of the tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::declaration::Limits;
use onionskin::question::AskError;
use onionskin::serve::{Client, Prompt, Resource, Server, ServerBuilder};
use onionskin::sessions::MemorySessions;
use onionskin::{
    AgentHandle, Args, Next, Progress, Provided, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent,
    tool, tool_hook,
};

/// Counts what tools have done.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) paid: AtomicU32,
    /// The slow calls that have begun, and those that ended by themselves.
    pub(crate) begun: AtomicU32,
    pub(crate) ended: AtomicU32,
}

/// Adds one.
#[tool(annotations(read_only))]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Fails.
#[tool]
fn fail() -> Result<String, &'static str> {
    Err("no such shelf")
}

/// Panics.
#[tool]
fn explode() -> String {
    panic!("the secret place /etc/desk")
}

/// Orders shoes.
#[tool(asks)]
async fn order(cx: &ToolContext, model: String) -> Result<String, AskError> {
    let size: u8 = cx.ask_as("size", format!("Which size of {model}?")).await?;
    Ok(format!("{model} in {size}"))
}

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: u32, ledger: Provided<Ledger>) -> String {
    let paid = ledger.paid.fetch_add(cents, Ordering::SeqCst) + cents;
    format!("paid {cents}, {paid} in all")
}

/// Takes its time.
#[tool]
async fn slow(progress: Progress, ledger: Provided<Ledger>, #[arg(default = 20)] steps: u32) -> String {
    ledger.begun.fetch_add(1, Ordering::SeqCst);
    for done in 1..=steps {
        progress.report(f64::from(done), Some(f64::from(steps)), Some(format!("shelf {done}")));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ledger.ended.fetch_add(1, Ordering::SeqCst);
    "slept".to_owned()
}

/// Names the user.
#[tool]
fn whoami(client: Provided<Client>) -> String {
    let user = client.user().map_or("nobody", |user| user.id());
    format!("{user} with {}", client.header("authorization").unwrap_or("no credentials"))
}

/// Marks results.
#[tool_hook]
async fn mark(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    if ctx.tool_name() == "add_one" {
        output.push_text("[marked]");
    }
    Ok(output)
}

agent! {
    Desk {
        instruction: "Sell.",
        function_tools: [add_one, fail, explode, order, pay, slow, whoami],
        tool_hooks: [mark],
    }
    /// Pays what it is asked for.
    Payer { instruction: "Pay.", function_tools: [pay] }
    /// Waits for the shelves.
    Waiter { instruction: "Wait.", function_tools: [slow] }
    /// Answers questions.
    Clerk { instruction: "Answer.", function_tools: [add_one] }
}

pub(crate) async fn desk(ledger: &Arc<Ledger>) -> AgentHandle {
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_mins(10));
    Desk::builder()
        .model(ScriptedModel::new())
        .limits(limits)
        .provide_shared(Arc::clone(ledger))
        .provide_per_request::<Client>()
        .build()
        .await
        .unwrap()
}

/// An agent that pays three times: twice in one turn, and once more.
pub(crate) async fn payer(ledger: &Arc<Ledger>) -> AgentHandle {
    let pay = || ScriptedTurn::call("pay", serde_json::json!({ "cents": 5 }));
    let turns = [pay().and_call("pay", serde_json::json!({ "cents": 5 })), pay(), ScriptedTurn::say("Paid.")];
    let payer = Payer::builder().model(ScriptedModel::turns(turns));
    let payer = payer.session_store(Arc::new(MemorySessions::default()));
    payer.provide_shared(Arc::clone(ledger)).build().await.unwrap()
}

/// An agent that calls a slow tool.
pub(crate) async fn waiter(ledger: &Arc<Ledger>) -> AgentHandle {
    let turns =
        [ScriptedTurn::call("slow", serde_json::json!({ "steps": 4 })), ScriptedTurn::say("I waited.")];
    let waiter = Waiter::builder().model(ScriptedModel::turns(turns));
    waiter.provide_shared(Arc::clone(ledger)).build().await.unwrap()
}

async fn clerk() -> AgentHandle {
    let turns =
        [ScriptedTurn::call("add_one", serde_json::json!({ "x": 41 })), ScriptedTurn::say("It is {last}.")];
    Clerk::builder().model(ScriptedModel::turns(turns)).build().await.unwrap()
}

pub(crate) async fn builder(ledger: &Arc<Ledger>) -> ServerBuilder {
    let prompt = Prompt::new("greet", "Greets.", "Hello {name}.")
        .argument("name", "Who.")
        .values("name", ["Ada", "Bob"]);
    Server::builder("desk", "1.2.3")
        .instructions("Sell shoes.")
        .tools_of(&desk(ledger).await)
        .agent(&clerk().await)
        .resource(Resource::text("desk://rules", "Rules", "No dogs."))
        .prompt(prompt)
}

pub(crate) async fn server() -> (Server, Arc<Ledger>) {
    let ledger = Arc::default();
    (builder(&ledger).await.build().await.unwrap(), ledger)
}
