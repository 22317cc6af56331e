//! Random scripts: an agent with a child, and what both do in their turns.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCallDelta};
use onionskin::{
    AgentHandle, ErrorKind, Exit, Progress, ScriptedModel, ScriptedTurn, State, ToolContext, ToolError,
    agent, tool,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The calls that are in progress.
#[derive(Clone, Default)]
pub(crate) struct Open(Arc<AtomicU32>);

impl Open {
    pub(crate) fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }

    fn enter(&self) -> impl Drop + use<> {
        struct Entered(Open);
        impl Drop for Entered {
            fn drop(&mut self) {
                self.0.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.0.fetch_add(1, Ordering::SeqCst);
        Entered(self.clone())
    }
}

/// Does what the script says.
#[tool]
async fn act(ctx: &ToolContext, open: State<Open>, progress: Progress, what: &str) -> Result<String, Exit> {
    let _entered = open.enter();
    match what {
        "fails" => return Err(ToolError::new("it failed").with_kind(ErrorKind::Remote).into()),
        "panics" => panic!("it panicked"),
        "stops" => return Err(Exit::stop("It is enough.")),
        "waits" => tokio::time::sleep(Duration::from_millis(20)).await,
        "reports" => {
            progress.report(1.0, Some(2.0), "half".to_owned());
            tokio::task::yield_now().await;
            ctx.emit(json!({ "seen": what })).unwrap();
        }
        _ => {}
    }
    Ok(format!("It {what}."))
}

agent! {
    Child { name: "child", description: "Acts.", instruction: "Act.", state: Open, function_tools: [act] }
    Parent { name: "parent", instruction: "Act.", state: Open, function_tools: [act], agents: [Child] }
}

/// One call of a turn.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    Act(&'static str),
    Child,
    Unknown,
    Unreadable,
}

/// One turn: pieces of text, then calls; a turn without calls is the answer.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    text: String,
    calls: Vec<Call>,
    /// The status with which the model fails first, after a piece of text.
    fails: Option<u16>,
}

#[derive(Debug, Clone)]
pub(crate) struct Script {
    parent: Vec<Turn>,
    child: Vec<Turn>,
}

fn act_call() -> impl Strategy<Value = Call> {
    prop::sample::select(vec!["works", "works", "fails", "panics", "waits", "reports", "reports", "stops"])
        .prop_map(Call::Act)
}

fn calls(call: impl Strategy<Value = Call>) -> impl Strategy<Value = Vec<Turn>> {
    let text = prop::sample::select(vec!["", "So be it.", "I look, and then I say what I see."]);
    let fails = prop::sample::select(vec![None, None, None, None, None, Some(503), Some(400)]);
    let turn = (text, prop::collection::vec(call, 1..4), fails);
    let turn = turn.prop_map(|(text, calls, fails)| Turn { text: text.to_owned(), calls, fails });
    let last = prop::sample::select(vec!["Done.", "All of it is done."]);
    (prop::collection::vec(turn, 0..4), last).prop_map(|(mut turns, last)| {
        turns.push(Turn { text: last.to_owned(), calls: Vec::new(), fails: None });
        turns
    })
}

pub(crate) fn script() -> impl Strategy<Value = Script> {
    let of_parent = prop_oneof![
        6 => act_call(),
        4 => Just(Call::Child),
        1 => Just(Call::Unknown),
        1 => Just(Call::Unreadable),
    ];
    (calls(of_parent), calls(act_call())).prop_map(|(parent, child)| Script { parent, child })
}

impl Turn {
    fn scripted(&self) -> ScriptedTurn {
        let turn = ScriptedTurn::say(&*self.text);
        self.calls.iter().fold(turn, |turn, call| match call {
            Call::Act(what) => turn.and_call("act", json!({ "what": what })),
            Call::Child => turn.and_call("agent__child", json!({ "input": "go" })),
            Call::Unknown => turn.and_call_unknown("art", json!({})),
            Call::Unreadable => turn.and_call("act", Value::from("{what")),
        })
    }
}

/// Says what the script says, and fails once before each turn that fails.
struct Failing {
    script: Script,
    scripted: ScriptedModel,
    /// The steps in which it was asked.
    asked: Mutex<HashSet<String>>,
}

impl Model for Failing {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let turns = if &*request.agent == "child" { &self.script.child } else { &self.script.parent };
        let step = request.step();
        let fails = turns.get(step.turn() as usize - 1).and_then(|turn| turn.fails);
        let is_first = self.asked.lock().unwrap().insert(step.to_string());
        if let Some(status) = fails.filter(|_| is_first) {
            deltas(ModelDelta::Reasoning("Hm. ".to_owned()));
            deltas(ModelDelta::Text("I am ".to_owned()));
            deltas(ModelDelta::ToolCall(ToolCallDelta::new("call_1_1", "act", r#"{"wh"#)));
            return Err(ModelError::status(status, "it is busy", None));
        }
        self.scripted.respond(request, deltas).await
    }
}

impl Script {
    /// A new agent that follows the script, and its calls in progress.
    pub(crate) async fn agent(&self) -> (AgentHandle, Open) {
        let turns = |turns: &[Turn]| turns.iter().map(Turn::scripted).collect::<Vec<_>>();
        let scripted =
            ScriptedModel::new().agent("parent", turns(&self.parent)).agent("child", turns(&self.child));
        let model = Failing { script: self.clone(), scripted, asked: Mutex::default() };
        let open = Open::default();
        let agent = Parent::builder().state(open.clone()).model(model).build().await.unwrap();
        (agent, open)
    }
}

/// Runs a future on a clock that jumps over waits.
pub(crate) fn on_a_paused_clock<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(work)
}
