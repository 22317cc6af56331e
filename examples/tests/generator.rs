//! Workflow folders, compiled and loaded: both are the same.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]
#![allow(clippy::duplicate_mod, reason = "the modules of the compiled workflows are private")]
#![allow(unreachable_pub, reason = "a workflow's items are public in their files")]

#[path = "shared/example.rs"]
mod example;

use std::sync::{Arc, Mutex};

use onionskin::declaration::AppBuilder;
use onionskin::event::EventKind;
use onionskin::loader::{CardLoader, DumpError, Registry};
use onionskin::question::{Answer, Question, QuestionKind};
use onionskin::ui::UiMode;
use onionskin::{RunError, ScriptedModel, ScriptedTurn, SessionState, workflow};
use serde_json::{Value, json};

workflow!("workflows/Generator");
workflow!(pub(crate) "tests/workflows/Order");

/// Notes a line in the session. The hooks of `Order` call it.
fn note(session: &SessionState, line: String) {
    let mut lines = session.get("lines").and_then(|lines| lines.as_array().cloned()).unwrap_or_default();
    lines.push(line.into());
    session.set("lines", lines);
}

#[path = "workflows/Order/tools/all.rs"]
mod all;
#[path = "../workflows/Generator/tools/echo_all.rs"]
mod echo_all;
#[path = "workflows/Order/tools/last.rs"]
mod last;
#[path = "../workflows/Generator/tools/redaction.rs"]
mod redaction;
#[path = "../workflows/Generator/tools/request_api_key.rs"]
mod request_api_key;
#[path = "workflows/Order/tools/send.rs"]
mod send;
#[path = "../workflows/Generator/tools/state.rs"]
mod state;
#[path = "workflows/Order/tools/state.rs"]
mod state_of_order;

/// The agents of a folder as it is now.
fn loaded(folder: &str) -> AppBuilder {
    let registry = Registry::new()
        .file("workflows/Generator/tools/echo_all.rs", |items| items.tool::<echo_all::echo>())
        .file("workflows/Generator/tools/request_api_key.rs", |items| {
            items.tool::<request_api_key::request_api_key>()
        })
        .file("workflows/Generator/tools/state.rs", |items| items.message_hook::<state::update_state>())
        .file("workflows/Generator/tools/redaction.rs", |items| {
            items.message_hook::<redaction::redact_before_send>()
        })
        .file("tests/workflows/Order/tools/send.rs", |items| items.message_hook::<send::send>())
        .file("tests/workflows/Order/tools/state.rs", |items| items.message_hook::<state_of_order::state>())
        .file("tests/workflows/Order/tools/last.rs", |items| items.message_hook::<last::last>())
        .file("tests/workflows/Order/tools/all.rs", |items| items.message_hook::<all::all>());
    CardLoader::new(registry).base(env!("CARGO_MANIFEST_DIR")).load_workflow(folder).unwrap().builder()
}

#[test]
fn c4_the_seeds_workflow_runs_compiled_and_loaded_with_equal_results() {
    let compiled = example::run(env!("CARGO_BIN_EXE_generator"), &[]);
    assert_eq!(
        compiled,
        "OrchestratorAgent shows AgentAPIKeyInput (Inline) of Generator: {\"service\":\"mail\"}\n\
         The user is content. DONE (turns: 5)\n\
         UserFeedbackAgent read 3 messages.\n"
    );
    assert_eq!(example::run(env!("CARGO_BIN_EXE_generator"), &["--loaded"]), compiled);
}

/// The pages of the agents: their prompts, tools and hooks.
async fn page(app: AppBuilder) -> String {
    let app = app.model(ScriptedModel::turns([])).build().await.unwrap();
    let tools: Vec<Value> = app
        .agents()
        .flat_map(|agent| app.agent(agent).unwrap().tool_definitions().unwrap().to_vec())
        .map(|tool| json!([tool.name, tool.description, tool.component(), tool.input_schema]))
        .collect();
    format!("{}\n{}", app.describe().unwrap().to_markdown(), json!(tools))
}

#[tokio::test]
async fn c4_both_forms_declare_the_same() {
    let compiled = page(Generator::builder()).await;
    for words in ["Simple echo", "Request an API key from the user", "AgentAPIKeyInput"] {
        assert!(compiled.contains(words), "{words} is not in:\n{compiled}");
    }
    assert_eq!(page(loaded("workflows/Generator")).await, compiled);
    assert_eq!(page(loaded("tests/workflows/Order")).await, page(Order::builder()).await);
    assert_eq!((Generator::NAME, Order::NAME), ("Generator", "Order"));
}

/// The lines that the hooks note in two runs of one session.
async fn order(app: AppBuilder) -> Vec<String> {
    let helper = [ScriptedTurn::say("It is so."), ScriptedTurn::say("It is still so.")];
    let asker = [
        ScriptedTurn::call("agent__Helper", json!({ "input": "Is it so?" })),
        ScriptedTurn::say("Yes."),
        ScriptedTurn::say("You are welcome."),
    ];
    let model = ScriptedModel::new().agent("Asker", asker).agent("Helper", helper);
    let app = app.model(model).build().await.unwrap();
    let session = app.entry().session();
    let first = app.initial_message().unwrap();
    for input in [first, "Thank you."] {
        app.entry().request(input).session(&session).run().await.unwrap();
    }
    let lines = session.state().get("lines").unwrap();
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn c4_the_hooks_fire_in_the_order_of_the_flow_in_the_first_and_in_later_turns() {
    let compiled = order(Order::builder()).await;
    assert_eq!(
        compiled,
        [
            "send user -> Asker: Ask.",
            "state of Asker: 1 messages",
            "last of Asker: Ask.",
            "all of Asker: 1 messages",
            "send Asker -> Helper: Is it so?",
            "state of Helper: 1 messages",
            "last of Helper: Is it so?",
            "all of Helper: 1 messages",
            "send Helper -> Asker: It is so.",
            "state of Asker: 3 messages",
            "last of Asker: It is so.",
            "all of Asker: 3 messages",
            "send Asker -> user: Yes.",
            "send user -> Asker: Thank you.",
            "state of Asker: 5 messages",
            "last of Asker: Thank you.",
            "all of Asker: 5 messages",
            "send Asker -> user: You are welcome.",
        ]
    );
    assert_eq!(order(loaded("tests/workflows/Order")).await, compiled);
}

/// The questions of a run that asks for a key, the answers that were asked for, and the keys in messages.
async fn questions(app: AppBuilder) -> (Vec<Question>, Vec<Question>, String) {
    let turns = [
        ScriptedTurn::call("request_api_key", json!({ "service": "mail" })),
        ScriptedTurn::say("{last} DONE"),
    ];
    let model = ScriptedModel::new().agent("OrchestratorAgent", turns);
    let answered: Arc<Mutex<Vec<Question>>> = Arc::default();
    let seen = Arc::clone(&answered);
    let person = move |question: Question| {
        seen.lock().unwrap().push(question);
        async { Answer::value(json!({ "key": "sk-17" })).ok() }
    };
    let app = app.model(model).answerer(person).build().await.unwrap();
    let mut stream = app.stream(app.initial_message().unwrap());
    let mut emitted = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::QuestionAsked { question, .. } = event.kind {
            emitted.push(question);
        }
    }
    let text = stream.output().await.unwrap().text;
    let answered = answered.lock().unwrap().clone();
    (emitted, answered, text)
}

#[tokio::test]
async fn c4_a_ui_tool_of_a_workflow_emits_once_and_is_answered_once() {
    for app in [Generator::builder(), loaded("workflows/Generator")] {
        let (emitted, answered, text) = questions(app).await;
        let [question] = &emitted[..] else { panic!("{emitted:?}") };
        assert_eq!(answered.len(), 1);
        assert_eq!(answered[0].key(), question.key());
        assert_eq!(question.tool_name(), "request_api_key");
        assert_eq!(question.agents().iter().map(|agent| &**agent).collect::<Vec<_>>(), ["OrchestratorAgent"]);
        assert!(!question.call_id().is_empty());
        let QuestionKind::Component(shown) = question.kind() else { panic!("{question:?}") };
        assert_eq!((shown.component(), shown.mode()), ("AgentAPIKeyInput", UiMode::Inline));
        assert_eq!((shown.workflow(), shown.tool_id()), ("Generator", "api_key_input"));
        assert_eq!(*shown.payload(), json!({ "service": "mail" }));
        assert_eq!(text, "{\"key\":\"sk-17\"} DONE");
    }
}

#[tokio::test]
async fn c4_a_workflow_ends_at_its_limit_of_turns_without_the_termination() {
    for app in [Generator::builder(), loaded("workflows/Generator")] {
        let turns = (0..30).map(|turn| ScriptedTurn::say(format!("Turn {turn}.")));
        let model = ScriptedModel::new().agent("OrchestratorAgent", turns);
        let error = app.model(model).begin().await.unwrap_err();
        assert_eq!(error.to_string(), "the agent `OrchestratorAgent` reached its limit of 20 model turns");
        assert!(matches!(error, RunError::Limit { .. }));
    }
}

#[test]
fn c3_an_agent_whose_workflow_says_more_than_a_card_can_is_not_written_as_one() {
    let error = Registry::new().dump::<OrchestratorAgent>().unwrap_err();
    assert!(
        matches!(error, DumpError::Workflow { ref agent, .. } if agent == "OrchestratorAgent"),
        "{error}"
    );
}
