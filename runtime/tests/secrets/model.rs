//! Models that repeat a secret, or that answer while a session learns one.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};

use onionskin::event::EventKind;
use onionskin::journal::{Journal, JournalError, Step, StepRecord, StepWork};
use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall, ToolCallDelta,
};
use onionskin::{AgentHandle, Secret, Session, SessionState, ToolContext, agent, tool};
use serde_json::json;

use crate::answers::answers;

const KEY: &str = "hunter2-token";

/// Conceals the text.
#[tool]
fn conceal(cx: &ToolContext, text: String) {
    cx.conceal(&Secret::new(text));
}

/// The steps of a run and what they returned, as text.
#[derive(Clone, Default)]
struct Steps(Arc<Mutex<String>>);

impl Journal for Steps {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<StepRecord, JournalError>> + Send + 'a>> {
        Box::pin(async move {
            let record = work().await?;
            let text = serde_json::to_string(&record).unwrap();
            self.0.lock().unwrap().push_str(&format!("{}: {text}\n", step.id()));
            Ok(record)
        })
    }
}

agent! { Desk { instruction: "Answer.", function_tools: [conceal] } }

/// Answers in this order, and keeps the messages of each request as JSON.
#[derive(Clone)]
struct Fixed(Arc<Mutex<VecDeque<ModelResponse>>>, Arc<Mutex<Vec<Vec<Message>>>>);

impl Fixed {
    fn new(calls: impl IntoIterator<Item = Vec<ToolCall>>) -> Self {
        let calls = calls.into_iter().map(ModelResponse::tool_calls);
        let answers = calls.chain([ModelResponse::text("done")]).collect();
        Self(Arc::new(Mutex::new(answers)), Arc::default())
    }

    /// The messages of the last request.
    fn last_request(&self) -> Vec<Message> {
        self.1.lock().unwrap().last().unwrap().clone()
    }
}

impl Model for Fixed {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.1.lock().unwrap().push(request.messages.to_vec());
        Ok(self.0.lock().unwrap().pop_front().unwrap())
    }
}

/// The events and the output of a run, as text.
async fn shown(agent: &AgentHandle, session: &Session) -> String {
    let mut stream = agent.request("go").session(session).stream();
    let mut shown = String::new();
    while let Some(event) = stream.next().await {
        shown.push_str(&serde_json::to_string(&event).unwrap());
    }
    format!("{shown}{:?}", stream.output().await)
}

/// The ids and names of the calls, and of their results, which have to be the same.
fn calls(messages: &[Message]) -> Vec<(String, String)> {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for message in messages {
        calls.extend(message.tool_calls().iter().map(|call| (call.id.to_string(), call.name.to_string())));
        if let Message::Tool { results: more, .. } = message {
            results.extend(more.iter().map(|result| (result.call_id.to_string(), result.name.to_string())));
        }
    }
    assert_eq!(calls, results);
    calls
}

#[tokio::test]
async fn t8_a_secret_as_the_id_or_the_name_of_a_call_leaves_nowhere() {
    let model = Fixed::new([vec![
        ToolCall::new(KEY, KEY, "{}"),
        ToolCall::new(format!("{KEY}-2"), "conceal", r#"{"text":"another-secret"}"#),
    ]]);
    let journal = Steps::default();
    let agent = Desk::builder().model(model.clone()).conceal(&Secret::<String>::from(KEY));
    let agent = agent.journal(journal.clone()).build().await.unwrap();
    let session = agent.session();
    let shown = shown(&agent, &session).await;
    assert!(shown.contains("Unknown tool name") && !shown.contains(KEY), "{shown}");
    let steps = journal.0.lock().unwrap().clone();
    assert!(steps.contains("turn 1/model") && !steps.contains(KEY), "{steps}");
    assert!(!format!("{:?}", session.history().to_vec()).contains(KEY));
    let calls = calls(&model.last_request());
    assert_ne!(calls[0].0, calls[1].0, "providers tell calls apart by their ids");
    assert_eq!((calls[0].1.as_str(), calls[1].1.as_str()), ("_secret_", "conceal"));
    for (id, name) in calls {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        assert!(id.chars().chain(name.chars()).all(is_legal), "providers reject `{id}` or `{name}`");
    }
}

#[tokio::test]
async fn t8_requests_hide_ids_and_names_also_if_the_secret_is_known_only_later() {
    let model = Fixed::new([
        vec![ToolCall::new(KEY, "conceal", r#"{"text":"hunter2-token"}"#), ToolCall::new("two", KEY, "{}")],
        // The model reads the name of a tool in each request, so it is not hidden.
        vec![ToolCall::new("three", "conceal", r#"{"text":"conceal"}"#)],
    ]);
    let agent = Desk::builder().model(model.clone()).build().await.unwrap();
    let output = agent.run("go").await.unwrap();
    let request = model.last_request();
    assert!(!format!("{request:?}").contains(KEY), "{request:?}");
    let calls = calls(&request);
    assert!(calls[0].0.starts_with("call_") && calls[1].0 == "two", "{calls:?}");
    // The first call registered the secret in its own id, and the report of its end still belongs to its start.
    let ended: Vec<_> = output.tool_calls.iter().map(|call| call.outcome.is_some()).collect();
    assert_eq!(ended, [true, true, true]);
    let later: Vec<_> =
        output.tool_calls.iter().map(|call| format!("{:?} {}", call.call_id, call.tool)).collect();
    assert!(!later.concat().contains(KEY), "{later:?}");
    let names: Vec<_> = calls.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["conceal", "_secret_", "conceal"]);
}

#[tokio::test]
async fn t8_ids_of_a_request_differ_also_if_a_secret_in_them_is_known_only_later() {
    let conceal = |id: &str, text: &str| ToolCall::new(id, "conceal", json!({ "text": text }).to_string());
    let model = Fixed::new([vec![conceal(KEY, KEY)], vec![conceal(KEY, "other")]]);
    let agent = Desk::builder().model(model.clone()).build().await.unwrap();
    agent.run("go").await.unwrap();
    let calls = calls(&model.last_request());
    assert!(calls.len() == 2 && calls[0].0 != calls[1].0, "{calls:?}");
}

/// Sets a secret while it answers: after the first pieces, and before the rest.
fn learning(state: Arc<OnceLock<SessionState>>) -> impl Model {
    answers(move |request, deltas| {
        if request.messages.len() > 1 {
            return Ok(ModelResponse::text("done"));
        }
        deltas(ModelDelta::Text("It is ".into()));
        state.get().unwrap().set_secret("key", Secret::new(KEY.to_owned()));
        for piece in ["hunt", "er2-", "token", "."] {
            deltas(ModelDelta::Text(piece.into()));
        }
        for piece in [r#"{"text":"hunt"#, "er2-", r#"token"}"#] {
            deltas(ModelDelta::ToolCall(ToolCallDelta::new(KEY, "conceal", piece)));
        }
        deltas(ModelDelta::ToolCall(ToolCallDelta::new("other", KEY, "{}")));
        let conceal = ToolCall::new(KEY, "conceal", r#"{"text":"hunter2-token"}"#);
        Ok(ModelResponse::tool_calls([conceal, ToolCall::new("other", KEY, "{}")]))
    })
}

#[tokio::test]
async fn t8_a_secret_that_is_set_while_a_model_answers_is_hidden_from_then_on() {
    let (state, journal) = (Arc::new(OnceLock::new()), Steps::default());
    let model = learning(Arc::clone(&state));
    let agent = Desk::builder().model(model).journal(journal.clone()).build().await.unwrap();
    let session = agent.session();
    state.set(session.state().clone()).unwrap_or_else(|_| panic!("the state is set once"));
    let mut stream = agent.request("go").session(&session).stream();
    let (mut text, mut shown) = (String::new(), String::new());
    let (mut written, mut begun) = (BTreeMap::new(), BTreeMap::new());
    while let Some(event) = stream.next().await {
        shown.push_str(&serde_json::to_string(&event).unwrap());
        match event.kind {
            EventKind::TextDelta { text: piece, .. } => text.push_str(&piece),
            EventKind::ToolCallDelta { call_id, tool, arguments, .. } => {
                written.entry((call_id, tool)).or_insert_with(String::new).push_str(&arguments);
            }
            EventKind::ToolStarted { call_id, tool, arguments, .. } => {
                begun.insert((call_id, tool), arguments.to_string());
            }
            _ => {}
        }
    }
    assert_eq!(text, "It is [secret].");
    assert_eq!((written.len(), &written), (2, &begun));
    assert!(!shown.contains(KEY), "{shown}");
    let steps = journal.0.lock().unwrap();
    assert!(!steps.contains(KEY), "{steps}");
}
