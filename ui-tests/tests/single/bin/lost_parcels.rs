//! A desk for lost parcels: it looks where a parcel was last, asks its owner, and pays what was lost.

use std::collections::BTreeMap;
use std::time::Duration;

use onionskin::guardrails::MaskPii;
use onionskin::message_hooks::{SentMessage, message_hook};
use onionskin::question::AskError;
use onionskin::run::IdempotencyKey;
use onionskin::run_hooks::RunAnswer;
use onionskin::turn_hooks::{TurnRequest, last_inputs};
use onionskin::ui::ui_tool;
use onionskin::{
    Args, Next, Progress, Provided, RunContext, RunError, ScriptedModel, ScriptedTurn, State, ToolContext,
    ToolOutput, ToolResult, agent, guardrail, run_hook, tool, tool_hook, toolbox, turn_hook,
};
use serde_json::json;

/// What the desk knows in one conversation.
#[derive(Clone, Default, serde::Serialize)]
struct Desk {
    customer: Customer,
    paid_cents: u64,
}

#[derive(Clone, Default, serde::Serialize)]
struct Customer {
    name: String,
    email: Option<String>,
}

/// Where parcels were last.
struct Depots(BTreeMap<String, String>);

/// How a parcel travels.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Standard,
    Express,
}

/// A parcel, as its owner describes it.
#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Parcel {
    /// The number on the label.
    number: String,
    /// The weight in grams.
    #[schemars(range(min = 1, max = 30_000))]
    grams: u32,
    speed: Speed,
}

/// What the desk does.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Decision {
    /// In one line.
    reason: String,
    paid_cents: u64,
}

#[derive(Debug)]
enum TrackError {
    NoParcel(String),
}

impl std::fmt::Display for TrackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoParcel(number) => write!(f, "there is no parcel {number}"),
        }
    }
}

impl std::error::Error for TrackError {}

/// Finds the depot where a parcel was last.
#[tool(title = "Track a parcel", effect = pure, timeout = "5s")]
async fn track(
    /// The parcel.
    parcel: Parcel,
    depots: Provided<Depots>,
    progress: Progress,
) -> Result<String, TrackError> {
    progress.report(1.0, Some(2.0), "looking".to_owned());
    tokio::time::sleep(Duration::from_millis(1)).await;
    depots.0.get(&parcel.number).cloned().ok_or(TrackError::NoParcel(parcel.number))
}

/// Pays for a lost parcel.
#[tool(approval, effect = once, state = Desk, max_calls = 2)]
fn pay(
    /// In cents.
    cents: u64,
    /// Why it is paid.
    #[arg(default = "lost".to_owned())]
    reason: String,
    #[bind(customer.name)] name: &str,
    key: IdempotencyKey,
    desk: State<Desk>,
) -> String {
    desk.update(|desk| desk.paid_cents += cents);
    format!("{cents} cents for {name} ({reason}), {}", key.as_str())
}

/// Asks the owner for a photo.
#[ui_tool(component = "PhotoInput")]
async fn photo(cx: &ToolContext, number: String) -> Result<String, AskError> {
    cx.ui().use_ui_tool("photo", "A photo, please", json!({ "number": number })).await
}

#[derive(Clone, Default)]
struct Notes;

#[toolbox]
impl Notes {
    /// Writes a note down.
    #[tool]
    fn write_note(&self, text: String) -> usize {
        text.len()
    }

    /// Reads all notes.
    #[tool(effect = pure)]
    async fn read_notes(&self, newest: Option<u8>) -> Vec<String> {
        vec![format!("{newest:?} notes")]
    }
}

/// Signs all results.
#[tool_hook]
async fn sign(ctx: &ToolContext, #[config] mark: &str, args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(format!(" [{mark} {}]", ctx.tool_name()));
    Ok(output)
}

/// Trims the numbers of parcels.
#[tool_hook]
fn trim(args: &mut Args) {
    if let Some(number) = args["number"].as_str() {
        args["number"] = number.trim().to_owned().into();
    }
}

/// Refuses large sums.
#[guardrail(input)]
fn at_most(#[config] most: u64, args: &Args) -> Result<(), String> {
    let cents = args["cents"].as_u64().unwrap_or(0);
    if cents > most { Err(format!("{cents} is more than {most}")) } else { Ok(()) }
}

/// Shortens results.
#[guardrail(output)]
fn short(output: &mut ToolOutput) {
    if output.to_text().len() > 2_000 {
        *output = ToolOutput::text("too long");
    }
}

/// Refuses empty inputs.
#[run_hook(pre)]
fn not_empty(input: &str) -> Result<(), String> {
    if input.is_empty() { Err("this is empty".to_owned()) } else { Ok(()) }
}

/// Counts what was said.
#[run_hook(post)]
fn log_answer(ctx: &RunContext, answer: &RunAnswer) {
    println!("{}: {}", ctx.agent().name(), answer.text());
}

/// Offers no tools late.
#[turn_hook(before_llm_call)]
fn calls_until(#[config] turn: u32, request: &mut TurnRequest) {
    if request.turn() > turn {
        request.without_tools();
    }
}

/// Keeps a word out of messages.
#[message_hook(process_message_before_send)]
fn redact(#[config] word: &str, message: &mut SentMessage) {
    message.change_texts(|text| Some(text.replace(word, "[..]")));
}

agent! {
    /// Decides what is paid.
    LostParcels {
        name: "lost-parcels",
        instruction: "Help {customer.name} with the lost parcel. So far {paid_cents} cents were paid.",
        state: Desk,
        output: Decision,
        function_tools: [pay, photo],
        toolboxes: [Notes],
        agents: [Tracker],
        tool_hooks: [sign("desk"), trim for [pay]],
        input_guardrails: [MaskPii, at_most(5_000) for [pay]],
        output_guardrails: [short],
        run_hooks: [not_empty, log_answer],
        turn_hooks: [last_inputs(6), calls_until(8)],
        message_hooks: [redact("k-17")],
        limits: { turns: 10, tool_calls: 20, time_sec: 60 },
        request_params: { temperature: 0.2 },
    }

    /// Knows where parcels are.
    Tracker {
        description: "Finds a parcel.",
        instruction: "Say where the parcel is.",
        input: Parcel,
        function_tools: [track],
        tool_hooks: [sign("tracker") for [track]],
        limits: { turns: 3 },
    }
}

#[tokio::main]
async fn main() -> Result<(), RunError> {
    let model = ScriptedModel::new()
        .agent(
            "lost-parcels",
            [
                ScriptedTurn::call(
                    "agent__Tracker",
                    json!({ "number": "7", "grams": 100, "speed": "express" }),
                ),
                ScriptedTurn::say(r#"{ "reason": "It is in Leiden.", "paid_cents": 0 }"#),
            ],
        )
        .agent(
            "Tracker",
            [
                ScriptedTurn::call(
                    "track",
                    json!({ "parcel": { "number": "7", "grams": 100, "speed": "express" } }),
                ),
                ScriptedTurn::say("{last}"),
            ],
        );
    let depots = Depots([("7".to_owned(), "Leiden".to_owned())].into());
    let desk = LostParcels::builder().model(model).state(Desk::default()).provide(depots).toolbox(Notes);
    let run = desk.run_typed("Where is my parcel?").await?;
    println!("{} ({} cents)", run.answer.reason, run.answer.paid_cents);
    Ok(())
}
