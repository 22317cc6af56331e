//! A10: message hooks that are written by hand, at each of their places.

use std::sync::Arc;

use onionskin::content::{ContentBlock, Image, Resource};
use onionskin::event::EventKind;
use onionskin::message_hooks::{BoxError, Delivery, MessageHook, NoMessagesError, Participant, SentMessage};
use onionskin::model::{
    History, HistoryError, Message, Model, ModelDelta, ModelResponse, RequestOption, ToolCallDelta,
};
use onionskin::run::{AgentRun, InjectInRun as _};
use onionskin::turn_hooks::{TurnHook, TurnRequest};
use onionskin::{
    AgentHandle, AgentTool, CancellationToken, RunContext, RunError, ScriptedModel, ScriptedTurn, Secret,
    State, agent, made, tool,
};
use serde_json::json;

use crate::answers::answers;
use crate::log::Log;

/// Notes each place.
struct Notes(&'static str, Log);

impl MessageHook for Notes {
    type Made = made::AtRunTime;

    async fn process_message_before_send(
        &self,
        run: &RunContext,
        sender: &Participant,
        message: &mut SentMessage,
        recipient: &Participant,
        silent: bool,
    ) -> Result<Delivery, BoxError> {
        tokio::task::yield_now().await;
        let of = run.agent().name();
        let silent = if silent { " silent" } else { "" };
        self.1.push(format!("{}@{of}: {sender}>{recipient} {:?}{silent}", self.0, message.text()));
        Ok(Delivery::Send)
    }

    async fn update_agent_state(&self, run: &RunContext, messages: &History) -> Result<(), BoxError> {
        self.1.push(format!("{}@{}: state of {}", self.0, run.agent().name(), messages.len()));
        Ok(())
    }

    async fn process_last_received_message(
        &self,
        run: &RunContext,
        message: &mut Message,
    ) -> Result<(), BoxError> {
        self.1.push(format!("{}@{}: last {:?}", self.0, run.agent().name(), message.to_text()));
        Ok(())
    }

    async fn process_all_messages_before_reply(
        &self,
        run: &RunContext,
        messages: &mut History,
    ) -> Result<(), BoxError> {
        self.1.push(format!("{}@{}: all {}", self.0, run.agent().name(), messages.len()));
        Ok(())
    }
}

impl TurnHook for Notes {
    type Made = made::AtRunTime;

    async fn before_llm_call(
        &self,
        run: &RunContext,
        request: &mut TurnRequest,
    ) -> Result<Option<ModelResponse>, BoxError> {
        self.1.push(format!("{}@{}: asks {}", self.0, run.agent().name(), request.turn()));
        Ok(None)
    }

    async fn after_llm_call(&self, run: &RunContext, response: &mut ModelResponse) -> Result<(), BoxError> {
        self.1.push(format!("{}@{}: said {:?}", self.0, run.agent().name(), response.text));
        Ok(())
    }
}

type Sent =
    Box<dyn Fn(&Participant, &mut SentMessage, &Participant) -> Result<Delivery, BoxError> + Send + Sync>;
type StateCheck = Box<dyn Fn(&RunContext, &History) -> Result<(), BoxError> + Send + Sync>;
type Changes<T> = Box<dyn Fn(&mut T) -> Result<(), BoxError> + Send + Sync>;

/// A hook of closures, one for each place.
#[derive(Default)]
struct Does {
    sent: Option<Sent>,
    state: Option<StateCheck>,
    last: Option<Changes<Message>>,
    all: Option<Changes<History>>,
}

impl MessageHook for Does {
    type Made = made::AtRunTime;

    async fn process_message_before_send(
        &self,
        _: &RunContext,
        sender: &Participant,
        message: &mut SentMessage,
        recipient: &Participant,
        _: bool,
    ) -> Result<Delivery, BoxError> {
        self.sent.as_ref().map_or(Ok(Delivery::Send), |does| does(sender, message, recipient))
    }

    async fn update_agent_state(&self, run: &RunContext, messages: &History) -> Result<(), BoxError> {
        self.state.as_ref().map_or(Ok(()), |does| does(run, messages))
    }

    async fn process_last_received_message(
        &self,
        _: &RunContext,
        message: &mut Message,
    ) -> Result<(), BoxError> {
        self.last.as_ref().map_or(Ok(()), |does| does(message))
    }

    async fn process_all_messages_before_reply(
        &self,
        _: &RunContext,
        messages: &mut History,
    ) -> Result<(), BoxError> {
        self.all.as_ref().map_or(Ok(()), |does| does(messages))
    }

    fn is_before_send(&self) -> bool {
        self.sent.is_some()
    }
}

fn sent(
    does: impl Fn(&Participant, &mut SentMessage, &Participant) -> Result<Delivery, BoxError>
    + Send
    + Sync
    + 'static,
) -> Does {
    Does { sent: Some(Box::new(does)), ..Does::default() }
}

/// A change that does not fail.
fn changes<T: 'static>(change: impl Fn(&mut T) + Send + Sync + 'static) -> Changes<T> {
    Box::new(move |changed| {
        change(changed);
        Ok(())
    })
}

/// Replaces the key in all messages.
fn redacts() -> Does {
    sent(|_, message, _| {
        message.set_text(message.text().replace("k-17", "[key]"));
        Ok(Delivery::Send)
    })
}

/// Drops the messages that one participant sends.
fn drops(from: &'static str) -> Does {
    sent(move |sender, _, _| Ok(if sender.name() == from { Delivery::Drop } else { Delivery::Send }))
}

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Ends the run with the key.
#[tool(stop_after)]
fn reveal() -> String {
    "It is k-17.".to_owned()
}

#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Note {
    text: String,
}

agent! {
    Clerk { instruction: "Add.", function_tools: [add_one, reveal] }
    Child { instruction: "Answer.", description: "Answers." }
    Typed { instruction: "Answer.", description: "Answers.", input: Note }
    Parent { instruction: "Ask.", description: "Asks.", agents: [Child, Typed], max_display_instances: 1 }
    Boss { instruction: "Ask.", agents: [Parent] }
    Reporter { instruction: "Report.", output: Note }
    Wrapper { instruction: "Wrap.", run: wrap }
    Counter { instruction: "There are {messages} messages.", state: Counts }
}

#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Counts {
    messages: usize,
}

async fn wrap(run: &AgentRun, input: String) -> Result<String, RunError> {
    Ok(format!("<{}>", run.converse(input).await?))
}

fn say(text: &str) -> ScriptedTurn {
    ScriptedTurn::say(text)
}

fn model() -> Arc<ScriptedModel> {
    let mut calls = ScriptedTurn::call("add_one", json!({ "x": 41 }));
    calls.say = "Wait: k-17.".into();
    Arc::new(ScriptedModel::turns([calls, say("{last} for k-17")]))
}

async fn clerk(hook: impl MessageHook<Made = made::AtRunTime>) -> (AgentHandle, Arc<ScriptedModel>) {
    let model = model();
    (Clerk::builder().model(Arc::clone(&model)).message_hook(hook).build().await.unwrap(), model)
}

fn family(child: &str) -> Arc<ScriptedModel> {
    let asks = |input: &str| ScriptedTurn::call("agent__Child", json!({ "input": input }));
    Arc::new(
        ScriptedModel::new()
            .agent(
                "Parent",
                [asks("One, k-17?").and_call("agent__Child", json!({ "input": "Two?" })), say("{last}")],
            )
            .agent("Child", [say(child)]),
    )
}

fn texts<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_text().into_owned()).collect()
}

#[tokio::test]
async fn a10_message_hooks_run_in_order_on_the_first_turn_and_on_later_ones() {
    let log = Log::default();
    let clerk = Clerk::builder().model(model()).turn_hook(Notes("t", log.clone()));
    let clerk = clerk.message_hook(Notes("a", log.clone())).message_hook(Notes("b", log.clone()));
    let clerk = clerk.build().await.unwrap();
    let session = clerk.session();
    clerk.request("41 + 1?").session(&session).run().await.unwrap();
    let pair = |text: &str| vec![format!("a@Clerk: {text}"), format!("b@Clerk: {text}")];
    let one = |text: &str| vec![format!("t@Clerk: {text}")];
    let wanted = [
        pair("user>Clerk \"41 + 1?\""),
        pair("state of 1"),
        pair("last \"41 + 1?\""),
        pair("all 1"),
        one("asks 1"),
        one("said \"Wait: k-17.\""),
        pair("Clerk>user \"Wait: k-17.\""),
        pair("state of 3"),
        pair("last \"42\""),
        pair("all 3"),
        one("asks 2"),
        one("said \"42 for k-17\""),
        pair("Clerk>user \"42 for k-17\""),
    ];
    assert_eq!(log.take(), wanted.concat());

    // The second run of the session passes its own input, and nothing again.
    let model = Arc::new(ScriptedModel::turns([say(""), say(""), say("Bye.")]));
    let clerk = Clerk::builder().model(model).message_hook(Notes("a", log.clone())).build().await.unwrap();
    clerk.request("Thanks.").session(&session).run().await.unwrap();
    let wanted = ["user>Clerk \"Thanks.\"", "state of 5", "last \"Thanks.\"", "all 5", "Clerk>user \"Bye.\""];
    assert_eq!(log.take(), wanted.map(|text| format!("a@Clerk: {text}")));
}

#[tokio::test]
async fn a10_messages_between_parent_and_child_pass_the_hooks_of_their_sender() {
    let log = Log::default();
    let parent = Parent::builder().model(family("Yes.")).message_hook(Notes("p", log.clone()));
    let notes = Notes("c", log.clone());
    let parent = parent.for_agent("Child", |agent| agent.message_hook(notes));
    assert_eq!(parent.run("Ask both.").await.unwrap().text, "Yes.\nYes.");
    let noted = log.take();
    let sends: Vec<_> = noted.iter().filter(|note| note.contains('>')).map(String::as_str).collect();
    // The second child is not shown.
    let mut of_calls = sends[1..5].to_vec();
    of_calls.sort_unstable();
    assert_eq!(
        of_calls,
        [
            "c@Child: Child>Parent \"Yes.\"",
            "c@Child: Child>Parent \"Yes.\" silent",
            "p@Parent: Parent>Child \"One, k-17?\"",
            "p@Parent: Parent>Child \"Two?\" silent",
        ]
    );
    assert_eq!(
        (sends[0], sends[5]),
        ("p@Parent: user>Parent \"Ask both.\"", "p@Parent: Parent>user \"Yes.\\nYes.\"")
    );
    assert_eq!(sends.len(), 6);
}

#[tokio::test]
async fn a10_what_a_hook_redacts_is_in_no_request_no_history_and_no_child() {
    let model = family("Said k-17.");
    let parent = Parent::builder().model(Arc::clone(&model)).message_hook(redacts()).build().await.unwrap();
    let session = parent.session();
    let output = parent.request("It is k-17.").session(&session).run().await.unwrap();
    assert_eq!(texts(&session.history())[0], "It is [key].");
    let requests = model.requests();
    let inputs: Vec<_> = requests
        .iter()
        .filter(|request| &*request.agent == "Child")
        .map(|request| texts(&request.messages))
        .collect();
    assert_eq!(inputs, [["One, [key]?"], ["Two?"]]);
    // The child has no hook: what it says reaches the parent. What the parent says does not leave it.
    assert_eq!(output.text, "Said [key].\nSaid [key].");
    assert_eq!(texts(&session.history()).last(), Some(&output.text));
}

#[tokio::test]
async fn a10_nothing_of_a_text_is_shown_before_its_hooks() {
    let (clerk, _) = clerk(redacts()).await;
    let session = clerk.session();
    let mut stream = clerk.request("Go.").session(&session).stream();
    let mut deltas = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::TextDelta { text, .. } = event.kind {
            deltas.push(text);
        }
    }
    assert_eq!(deltas, ["Wait: [key].", "42 for [key]"]);
    assert_eq!(stream.output().await.unwrap().text, "42 for [key]");
    assert_eq!(texts(&session.history()), ["Go.", "Wait: [key].", "42", "42 for [key]"]);
}

#[tokio::test]
async fn a10_a_hook_at_other_places_holds_no_text_back() {
    let hook = Does { last: Some(changes(|_| {})), ..Does::default() };
    let model = ScriptedModel::turns([say("One, two, three.")]);
    let clerk = Clerk::builder().model(model).message_hook(hook).build().await.unwrap();
    let mut stream = clerk.stream("Go.");
    let mut deltas = 0;
    while let Some(event) = stream.next().await {
        deltas += usize::from(matches!(event.kind, EventKind::TextDelta { .. }));
    }
    assert!(deltas > 1, "{deltas}");
}

#[tokio::test]
async fn a10_a_dropped_input_or_answer_ends_the_run_and_is_no_answer() {
    for (from, to) in [("user", "Clerk"), ("Clerk", "user")] {
        let clerk = Clerk::builder().model(ScriptedModel::turns([say("Yes.")])).message_hook(drops(from));
        let error = clerk.run("Go.").await.unwrap_err();
        let RunError::MessageDropped { agent, sender, recipient, .. } = &error else { panic!("{error}") };
        assert_eq!((&**agent, sender.name(), recipient.name()), ("Clerk", from, to));
        assert_eq!(
            error.to_string(),
            format!(
                "a message hook of the agent `Clerk` dropped the message from `{from}` to `{to}`, so the run has no answer; to continue \
                 the run, let the hook replace the text"
            )
        );
    }
}

#[tokio::test]
async fn a10_a_dropped_text_beside_calls_is_removed() {
    let hook = sent(|_, message, _| {
        Ok(if message.text().starts_with("Wait") { Delivery::Drop } else { Delivery::Send })
    });
    let (clerk, model) = clerk(hook).await;
    assert_eq!(clerk.run("Go.").await.unwrap().text, "42 for k-17");
    let second = &model.requests()[1].messages;
    assert_eq!(
        (texts(second), second[1].tool_calls().len()),
        (vec!["Go.".into(), String::new(), "42".into()], 1)
    );
}

#[tokio::test]
async fn a10_a_dropped_message_to_a_child_is_a_tool_error() {
    let drop_one = sent(|_, message, recipient| {
        let is_one = recipient.name() == "Child" && message.text().starts_with("One");
        Ok(if is_one { Delivery::Drop } else { Delivery::Send })
    });
    let model = family("Yes.");
    let parent = Parent::builder().model(Arc::clone(&model)).message_hook(drop_one);
    let output = parent.run("Go.").await.unwrap();
    let results: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
    assert_eq!(
        results,
        ["the message to the agent Child was dropped by a message hook, so the agent did not run", "Yes."]
    );
    assert_eq!(model.requests().iter().filter(|request| &*request.agent == "Child").count(), 1);
}

#[tokio::test]
async fn a10_an_agent_tool_gets_its_input_through_the_hooks_of_the_caller() {
    let model = ScriptedModel::new()
        .agent("Clerk", [ScriptedTurn::call("agent__Child", json!({ "input": "k-17" })), say("{last}")])
        .agent("Child", [say("Got {input}")]);
    let model = Arc::new(model);
    let child = Child::builder().model(Arc::clone(&model)).build().await.unwrap();
    let clerk = Clerk::builder().model(model).tool(AgentTool::new(&child)).message_hook(redacts());
    assert_eq!(clerk.run("Go.").await.unwrap().text, "Got [key]");
}

#[tokio::test]
async fn a10_a_changed_input_of_a_typed_child_must_still_fit() {
    let model = || {
        ScriptedModel::new()
            .agent("Parent", [ScriptedTurn::call("agent__Typed", json!({ "text": "k-17" })), say("{last}")])
            .agent("Typed", [say("Got {input}")])
    };
    let output = Parent::builder().model(model()).message_hook(redacts()).run("Go.").await.unwrap();
    assert_eq!(output.text, "Got {\"text\":\"[key]\"}");
    let breaks = sent(|_, message, recipient| {
        if recipient.name() == "Typed" {
            message.set_text("nothing");
        }
        Ok(Delivery::Send)
    });
    let output = Parent::builder().model(model()).message_hook(breaks).run("Go.").await.unwrap();
    let text = output.tool_calls[0].to_text();
    assert!(
        text.starts_with("a message hook changed the input of the agent Typed, which does not fit now:"),
        "{text}"
    );
}

#[tokio::test]
async fn a10_an_answer_that_the_model_did_not_write_passes_the_hooks_once() {
    // A tool ends the run.
    let model = ScriptedModel::turns([ScriptedTurn::call("reveal", json!({}))]);
    let output = Clerk::builder().model(model).message_hook(redacts()).run("Go.").await.unwrap();
    assert_eq!(output.text, "It is [key].");

    // A loop of one's own makes a text.
    let log = Log::default();
    let wrapper = Wrapper::builder().model(ScriptedModel::turns([say("Yes.")]));
    let output = wrapper.message_hook(Notes("w", log.clone())).run("Go.").await.unwrap();
    assert_eq!(output.text, "<Yes.>");
    let sends: Vec<_> = log.take().into_iter().filter(|note| note.contains(">user")).collect();
    assert_eq!(sends, ["w@Wrapper: Wrapper>user \"Yes.\"", "w@Wrapper: Wrapper>user \"<Yes.>\""]);
}

#[tokio::test]
async fn a10_a_typed_answer_passes_as_json_and_must_still_fit() {
    let turns = || {
        let by_tool = ScriptedTurn::call("final_answer", json!({ "text": "It is k-17." }));
        [by_tool, say(r#"{"text": "It is k-17."}"#)]
            .map(|turn| ScriptedModel::turns([turn]).without([RequestOption::ResponseSchema]))
    };
    for model in turns() {
        let log = Log::default();
        let reporter =
            Reporter::builder().model(model).message_hook(redacts()).message_hook(Notes("r", log.clone()));
        let output = reporter.run_typed("Go.").await.unwrap();
        assert_eq!(output.answer.text, "It is [key].");
        assert_eq!(log.take().iter().filter(|note| note.contains(">user")).count(), 1);
    }
    let breaks = sent(|sender, message, _| {
        if *sender != Participant::User {
            message.set_text("nothing");
        }
        Ok(Delivery::Send)
    });
    let [by_tool, _] = turns();
    let error = Reporter::builder().model(by_tool).message_hook(breaks).run("Go.").await.unwrap_err();
    assert!(matches!(error, RunError::WrongAnswer { .. }), "{error}");
}

#[tokio::test]
async fn a10_the_last_message_and_all_messages_are_changed_for_one_turn() {
    let last = changes(|message: &mut Message| {
        if let Message::User { .. } = message {
            *message = Message::user("Changed.");
        }
    });
    let all = changes(|messages: &mut History| {
        let mut begun = History::from([Message::user("Before.")]);
        messages.iter().for_each(|message| begun.push(message.clone()));
        *messages = begun;
    });
    let (clerk, model) = clerk(Does { last: Some(last), all: Some(all), ..Does::default() }).await;
    let session = clerk.session();
    clerk.request("41 + 1?").session(&session).run().await.unwrap();
    let [first, second] = &model.requests()[..] else { panic!("two turns") };
    assert_eq!(texts(&first.messages), ["Before.", "Changed."]);
    assert_eq!(texts(&second.messages), ["Before.", "41 + 1?", "Wait: k-17.", "42"]);
    assert_eq!(texts(&session.history())[0], "41 + 1?");
}

#[tokio::test]
async fn a10_a_hook_cannot_split_a_call_from_its_result() {
    let last = changes(|message: &mut Message| {
        if let Message::Tool { .. } = message {
            *message = Message::user("Forget it.");
        }
    });
    let all = changes(|messages: &mut History| {
        if messages.len() > 1 {
            messages.pop();
        }
    });
    let hooks = [
        ("process_last_received_message", Does { last: Some(last), ..Does::default() }),
        ("process_all_messages_before_reply", Does { all: Some(all), ..Does::default() }),
    ];
    for (at, hook) in hooks {
        let (clerk, model) = clerk(hook).await;
        let error = clerk.run("Go.").await.unwrap_err();
        let RunError::MessageHook { place, source, .. } = &error else { panic!("{error}") };
        assert_eq!(*place, at);
        let split = source.downcast_ref::<HistoryError>().unwrap();
        let (HistoryError::OpenCall { tool, .. } | HistoryError::StrayResult { tool, .. }) = split else {
            panic!("{split}")
        };
        assert_eq!((&**tool, model.requests().len()), ("add_one", 1));
    }
}

#[tokio::test]
async fn a10_a_hook_that_leaves_no_message_ends_the_run_before_the_request() {
    let all = changes(|messages: &mut History| *messages = History::new());
    let (clerk, model) = clerk(Does { all: Some(all), ..Does::default() }).await;
    let error = clerk.run("Go.").await.unwrap_err();
    let RunError::MessageHook { place, source, .. } = &error else { panic!("{error}") };
    assert_eq!(*place, "process_all_messages_before_reply");
    assert!(source.is::<NoMessagesError>(), "{error}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a10_the_state_of_a_hook_is_in_the_prompt_of_the_same_turn() {
    let state: StateCheck = Box::new(|run, messages| {
        State::<Counts>::inject_in_run(run)?.update(|counts| counts.messages = messages.len());
        Ok(())
    });
    let model = Arc::new(ScriptedModel::turns([say("Yes.")]));
    let counter = Counter::builder().model(Arc::clone(&model)).state(Counts::default());
    counter.message_hook(Does { state: Some(state), ..Does::default() }).run("Go.").await.unwrap();
    assert_eq!(model.requests()[0].system.as_deref(), Some("There are 1 messages."));
}

#[tokio::test]
async fn a10_an_error_or_a_panic_of_a_message_hook_ends_the_run_at_every_place() {
    for (fault, words) in crate::FAULTS {
        let hooks = [
            ("process_message_before_send", sent(move |_, _, _| fault().map(|()| Delivery::Send))),
            ("update_agent_state", Does { state: Some(Box::new(move |_, _| fault())), ..Does::default() }),
            (
                "process_last_received_message",
                Does { last: Some(Box::new(move |_| fault())), ..Does::default() },
            ),
            (
                "process_all_messages_before_reply",
                Does { all: Some(Box::new(move |_| fault())), ..Does::default() },
            ),
        ];
        for (place, hook) in hooks {
            let (clerk, model) = clerk(hook).await;
            let error = clerk.run("Go.").await.unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("the message hook `Does` of the agent `Clerk` failed in `{place}`: {words}")
            );
            assert!(matches!(error, RunError::MessageHook { .. }) && model.requests().is_empty());
        }
    }
}

#[tokio::test]
async fn a10_a_hook_that_fails_on_the_message_to_a_child_ends_the_run_of_its_parent_only() {
    let model = || {
        ScriptedModel::new()
            .agent("Boss", [ScriptedTurn::call("agent__Parent", json!({ "input": "Ask." })), say("{last}")])
            .agent("Parent", [ScriptedTurn::call("agent__Child", json!({ "input": "Well?" })), say("{last}")])
            .agent("Child", [say("Yes.")])
    };
    let fails = || {
        sent(|_, _, recipient| match recipient.name() {
            "Child" => Err("not there".into()),
            _ => Ok(Delivery::Send),
        })
    };
    let error = Parent::builder().model(model()).message_hook(fails()).run("Go.").await.unwrap_err();
    assert!(matches!(error, RunError::MessageHook { place: "process_message_before_send", .. }), "{error:?}");
    let boss = Boss::builder().model(model()).for_agent("Parent", move |agent| agent.message_hook(fails()));
    let output = boss.run("Go.").await.unwrap();
    assert!(
        output.text.contains(
            "the message hook `Does` of the agent `Parent` failed in `process_message_before_send`: not there"
        ),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn a10_a_cancelled_run_ends_in_its_message_hooks() {
    struct Waits(CancellationToken);

    impl MessageHook for Waits {
        type Made = made::AtRunTime;

        async fn update_agent_state(&self, _: &RunContext, _: &History) -> Result<(), BoxError> {
            self.0.cancel();
            std::future::pending().await
        }
    }

    let token = CancellationToken::new();
    let (clerk, model) = clerk(Waits(token.clone())).await;
    let error = clerk.request("Go.").cancellation(token).run().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }) && model.requests().is_empty(), "{error}");
}

#[tokio::test]
async fn a10_a_shared_hook_is_the_same_hook() {
    let log = Log::default();
    let hook = Arc::new(Notes("a", log.clone()));
    let parent = Parent::builder().model(family("Yes.")).message_hook(Arc::clone(&hook));
    parent.for_agent("Child", |agent| agent.message_hook(hook)).run("Go.").await.unwrap();
    assert_eq!(log.take().iter().filter(|note| note.contains("Child>Parent")).count(), 2);
}

/// A model that shows its reasoning.
fn thinks() -> impl Model {
    answers(move |_, deltas| {
        deltas(ModelDelta::Reasoning("They say k-17.".to_owned()));
        deltas(ModelDelta::Text("It is k-17.".to_owned()));
        deltas(ModelDelta::ToolCall(ToolCallDelta::new("call_1", "tell", "{\"key\": \"k-17\"}")));
        Ok(ModelResponse::text("It is k-17."))
    })
}

#[tokio::test]
async fn a10_reasoning_and_pieces_of_calls_are_no_messages_and_are_not_shown_beside_hooks() {
    let clerk = Clerk::builder().model(thinks()).message_hook(redacts()).build().await.unwrap();
    let mut stream = clerk.stream("Go.");
    let mut shown = Vec::new();
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::TextDelta { text, .. }
            | EventKind::ReasoningDelta { text, .. }
            | EventKind::ToolCallDelta { arguments: text, .. } => shown.push(text),
            _ => {}
        }
    }
    assert_eq!(shown, ["It is [key]."]);
}

#[tokio::test]
async fn a10_secrets_are_redacted_after_the_hooks() {
    struct Revealing(Secret<String>);

    impl MessageHook for Revealing {
        type Made = made::AtRunTime;

        async fn process_message_before_send(
            &self,
            run: &RunContext,
            _: &Participant,
            message: &mut SentMessage,
            _: &Participant,
            _: bool,
        ) -> Result<Delivery, BoxError> {
            run.conceal(&self.0);
            message.set_text(format!("{} {}", message.text(), self.0.expose()));
            Ok(Delivery::Send)
        }
    }

    let model = Arc::new(ScriptedModel::turns([say("Yes.")]));
    let clerk = Clerk::builder().model(Arc::clone(&model));
    let clerk = clerk.message_hook(Revealing(Secret::new("hunter-22".to_owned()))).build().await.unwrap();
    let session = clerk.session();
    let mut stream = clerk.request("Go.").session(&session).stream();
    let mut events = String::new();
    while let Some(event) = stream.next().await {
        events.push_str(&format!("{event:?}"));
    }
    let output = stream.output().await.unwrap();
    assert!(output.text.starts_with("Yes. ") && output.text.len() > 5, "{}", output.text);
    let history = format!("{:?}", session.history());
    let asked = format!("{:?}", model.requests());
    for text in [&events, &output.text, &asked] {
        assert!(!text.contains("hunter-22"), "{text}");
    }
    // The session's own copy of an input is what a hook made of it; the answer is redacted.
    assert!(!texts(&session.history()).last().unwrap().contains("hunter-22"), "{history}");
}

#[tokio::test]
async fn a10_attachments_of_an_input_pass_the_hooks_too() {
    let hook = sent(|_, message, _| {
        message.change_texts(|text| Some(text.replace("k-17", "[key]")));
        message.retain_attachments(|part| !matches!(part, ContentBlock::Image(_)));
        Ok(Delivery::Send)
    });
    let model = Arc::new(ScriptedModel::turns([say("Yes.")]));
    let clerk = Clerk::builder().model(Arc::clone(&model)).message_hook(hook).build().await.unwrap();
    let note = Resource::text("file:///note.txt", "It is k-17.");
    let image = Image::from_bytes(b"\x89PNG\r\n\x1a\nrest").unwrap();
    clerk.run(("What is k-17?", note, image)).await.unwrap();
    let Message::User { content, .. } = &model.requests()[0].messages[0] else { panic!("the input") };
    let shown = format!("{content:?}");
    assert!(
        shown.contains("What is [key]?") && shown.contains("It is [key].") && content.len() == 2,
        "{shown}"
    );
}
