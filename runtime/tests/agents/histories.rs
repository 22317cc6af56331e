//! A5: what a child begins with and what it leaves; every request can be sent to a provider.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use onionskin::declaration::AgentDeclaration;
use onionskin::guardrails::{MaskPii, RejectInjection};
use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::run::AgentRun;
use onionskin::{Agent, App, BuildError, RunError, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

use crate::answers::answers;
use crate::support::texts;

/// Echoes.
#[tool]
fn echo(text: String) -> String {
    text
}

agent! {
    Helper { name: "helper", description: "Helps.", instruction: "Help.", function_tools: [echo] }
    Other { name: "other", description: "Helps too.", instruction: "Help." }
    Sharing { name: "sharing", instruction: "Ask.", agents: [Helper], history_source: orchestrator, history_merge_target: orchestrator, default: true }
    Guarding {
        name: "guarding",
        instruction: "Ask.",
        agents: [Helper],
        history_merge_target: orchestrator,
        output_guardrails: [MaskPii],
    }
    Briefing { name: "briefing", instruction: "Ask.", agents: [Helper, Other], history_source: messages }
    Plain { name: "plain", instruction: "Ask.", agents: [Helper] }
    Keeping { name: "keeping", instruction: "Ask.", agents: [Helper], history_source: child, history_merge_target: child }
}

fn ask(agent: &str, input: &str) -> ScriptedTurn {
    ScriptedTurn::call(format!("agent__{agent}"), json!({ "input": input }))
}

/// Refuses what providers refuse: a request that does not end with the user or a tool, that holds an id twice, or that holds a
/// call without its result.
struct Provider {
    script: ScriptedModel,
    seen: Mutex<Vec<ModelRequest>>,
}

impl Provider {
    fn new(script: ScriptedModel) -> Arc<Self> {
        Arc::new(Self { script, seen: Mutex::default() })
    }

    fn agent_texts(&self, agent: &str) -> Vec<Vec<String>> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .filter(|request| &*request.agent == agent)
            .map(|request| texts(&request.messages))
            .collect()
    }
}

impl Model for Provider {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.seen.lock().unwrap().push(request.clone());
        let refuse = |reason: &str| {
            let message = format!("{reason}: {:#?}", texts(&request.messages));
            Err(ModelError::status(400, message, None))
        };
        let mut ids = HashSet::new();
        let mut open: Vec<&str> = Vec::new();
        for message in &request.messages {
            match message {
                Message::Assistant { tool_calls, .. } => {
                    if !tool_calls.iter().all(|call| !call.id.is_empty() && ids.insert(&*call.id)) {
                        return refuse("an id that is there twice");
                    }
                    open = tool_calls.iter().map(|call| &*call.id).collect();
                }
                Message::Tool { results, .. } => {
                    let told: Vec<_> = results.iter().map(|result| &*result.call_id).collect();
                    if told != std::mem::take(&mut open) {
                        return refuse("results that are not those of the calls");
                    }
                }
                _ if !open.is_empty() => return refuse("calls without results"),
                Message::User { .. } => {}
            }
        }
        if matches!(request.messages.last(), Some(Message::Assistant { .. }) | None) {
            return refuse("it ends with an answer");
        }
        self.script.respond(request, deltas).await
    }
}

#[tokio::test]
async fn a5_after_a_merge_into_the_orchestrator_the_next_request_ends_with_a_user() {
    let helped = ScriptedTurn::say("helped");
    let calls = || ScriptedTurn::call("echo", json!({ "text": "e" }));
    // A script counts all answers of a conversation, those of merged ones too.
    let skipped = |turns: usize| (0..turns).map(|_| ScriptedTurn::say("-"));
    let sharing = [ask("helper", "one").and_call("agent__helper", json!({ "input": "two" }))]
        .into_iter()
        .chain(skipped(4))
        .chain([ask("helper", "three")])
        .chain(skipped(1))
        .chain([ScriptedTurn::say("done")]);
    let helper = (0..20).map(|turn| if turn == 0 { calls() } else { helped.clone() });
    let model = Provider::new(ScriptedModel::new().agent("sharing", sharing).agent("helper", helper));
    let handle = Sharing::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = handle.session();
    let output = handle.request("go").session(&session).run().await.unwrap();
    assert_eq!(output.text, "done");
    let history = texts(&session.history());
    assert_eq!(
        history[..11],
        ["go", "", "helped\nhelped", "one", "", "e", "helped", "two", "", "e", "helped"],
        "the whole conversations, in call order"
    );
    assert!(history[11].starts_with("(These were the conversations"), "{history:?}");
}

#[tokio::test]
async fn a5_a_childs_own_history_holds_each_id_once() {
    let both = || ask("helper", "one").and_call("agent__helper", json!({ "input": "two" }));
    let keeping = [both(), both(), ask("helper", "five"), ScriptedTurn::say("{last}")];
    // Each instance that begins counts its calls from the same number on.
    let helper = (0..40).map(|turn| match turn % 2 {
        0 => ScriptedTurn::call("echo", json!({ "text": "e" })).and_call("echo", json!({ "text": "f" })),
        _ => ScriptedTurn::say("helped"),
    });
    let model = Provider::new(ScriptedModel::new().agent("keeping", keeping).agent("helper", helper));
    let handle = Keeping::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = handle.session();
    let output = handle.request("go").session(&session).run().await.unwrap();
    assert_eq!(output.text, "helped", "no request was refused");
    let history = session.child_history("helper");
    assert_eq!(history.len(), 5 * 4);
    let ids = history.iter().filter_map(|message| match message {
        Message::Assistant { tool_calls, .. } => Some(tool_calls.iter().map(|call| &call.id)),
        _ => None,
    });
    assert_eq!(ids.flatten().collect::<HashSet<_>>().len(), 5 * 2);
}

#[tokio::test]
async fn a5_nothing_is_put_behind_a_merge_that_ends_the_run() {
    async fn two_then_one(run: &AgentRun, input: String) -> Result<String, RunError> {
        run.call_tool("agent__helper", r#"{"input":"one"}"#).await.unwrap();
        run.call_tool("agent__helper", r#"{"input":"two"}"#).await.unwrap();
        run.converse(input).await
    }
    agent! {
        ByHand {
            name: "by_hand", instruction: "Ask.", agents: [Helper], history_merge_target: orchestrator,
            run: two_then_one,
        }
    }
    let helper = [ScriptedTurn::call("echo", json!({ "text": "e" })), ScriptedTurn::say("helped")];
    let turns = (0..4).map(|_| ScriptedTurn::say("-")).chain([ScriptedTurn::say("done")]);
    let model = Provider::new(ScriptedModel::new().agent("helper", helper).agent("by_hand", turns));
    let handle = ByHand::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = handle.session();
    handle.request("go").session(&session).run().await.unwrap();
    assert_eq!(texts(&session.history()), ["one", "", "e", "helped", "two", "", "e", "helped", "go", "done"]);
}

/// Gives all its calls one id, or none.
fn one_id(id: &'static str) -> impl Model {
    answers(move |request, _| {
        if request.messages.len() > 4 {
            return Ok(ModelResponse::text("done"));
        }
        let call = |text: &str| ToolCall::new(id, "echo", json!({ "text": text }).to_string());
        Ok(ModelResponse::tool_calls([call("a"), call("b")]))
    })
}

#[tokio::test]
async fn a7_calls_that_a_model_gave_one_id_stay_apart() {
    for (id, expected) in
        [("one", ["one", "one_2", "one_3", "one_4"]), ("", ["call_2", "call_3", "call_4", "call_5"])]
    {
        let handle = Helper::builder().model(one_id(id)).build().await.unwrap();
        let session = handle.session();
        let output = handle.request("go").session(&session).run().await.unwrap();
        let mut results = Vec::new();
        for message in session.history() {
            if let Message::Tool { results: of_turn, .. } = message {
                results.extend(of_turn.into_iter().map(|result| (result.call_id, result.content)));
            }
        }
        let ids: Vec<_> = results.iter().map(|(id, _)| &**id).collect();
        assert_eq!(ids, expected, "in the whole conversation");
        let reported: Vec<_> =
            output.tool_calls.iter().map(|call| (&*call.call_id, call.to_text())).collect();
        let told: Vec<_> =
            ids.into_iter().zip(["a", "b", "a", "b"].map(std::borrow::Cow::Borrowed)).collect();
        assert_eq!(reported, told, "each with its own result");
    }
}

fn brief() -> Vec<Message> {
    vec![Message::user("You know of tides."), Message::assistant("I do.")]
}

#[tokio::test]
async fn a5_a_child_begins_with_the_messages_that_it_was_given_by_name() {
    let script = || {
        ScriptedModel::new()
            .agent(
                "briefing",
                [
                    ask("helper", "one").and_call("agent__other", json!({ "input": "two" })),
                    ScriptedTurn::say("done"),
                ],
            )
            .agent("helper", [ScriptedTurn::say("-"), ScriptedTurn::say("helped")])
            .agent("other", [ScriptedTurn::say("helped")])
    };
    let model = Provider::new(script());
    let builder =
        Briefing::builder().for_agent("helper", |agent| agent.messages(brief())).model(Arc::clone(&model));
    builder.run("go").await.unwrap();
    assert_eq!(model.agent_texts("helper"), [["You know of tides.", "I do.", "one"]]);
    assert_eq!(model.agent_texts("other"), [["two"]]);

    let model = Provider::new(script());
    let app = App::builder()
        .agent::<Briefing>()
        .for_agent("helper", |agent| agent.messages(brief()))
        .model(Arc::clone(&model));
    app.build().await.unwrap().run("go").await.unwrap();
    assert_eq!(model.agent_texts("helper"), [["You know of tides.", "I do.", "one"]]);
}

#[tokio::test]
async fn a5_a_child_by_hand_declares_the_messages_that_it_begins_with() {
    struct Knows;
    impl Agent for Knows {
        const NAME: &'static str = "knows";
        type State = ();
        fn declare() -> AgentDeclaration {
            AgentDeclaration::new().description("Knows.").messages(brief())
        }
        async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
            Ok(format!("{} | {input}", texts(&run.messages()).join(" ")))
        }
    }
    agent! { Asks { name: "asks", instruction: "Ask.", agents: [Knows], history_source: messages } }
    let model = ScriptedModel::turns([ask("knows", "one"), ScriptedTurn::say("{last}")]);
    let output = Asks::builder().model(model).run("go").await.unwrap();
    assert_eq!(output.text, "You know of tides. I do. | one");
}

#[tokio::test]
async fn a12_a_new_session_begins_with_the_messages_that_the_agent_was_given() {
    let model = Provider::new(ScriptedModel::turns([
        ScriptedTurn::say("-"),
        ScriptedTurn::say("one"),
        ScriptedTurn::say("two"),
    ]));
    let handle = Helper::builder().messages(brief()).model(Arc::clone(&model)).build().await.unwrap();
    assert_eq!(handle.run("go").await.unwrap().text, "one");
    let session = handle.session();
    handle.request("go").session(&session).run().await.unwrap();
    handle.request("again").session(&session).run().await.unwrap();
    let brief = ["You know of tides.", "I do."];
    assert_eq!(texts(&session.history()), [&brief[..], &["go", "one", "again", "two"]].concat());
    assert_eq!(model.agent_texts("helper")[0], [&brief[..], &["go"]].concat());
}

#[tokio::test]
async fn a5_messages_that_nothing_begins_with_are_an_error_and_so_are_messages_that_nobody_gave() {
    let error = Plain::builder()
        .for_agent("helper", |agent| agent.messages(brief()))
        .model(ScriptedModel::new())
        .build()
        .await
        .unwrap_err();
    assert!(matches!(&error, BuildError::UnusedMessages { agent , .. } if agent == "helper"), "{error}");
    let error = Briefing::builder().model(ScriptedModel::new()).build().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent `briefing` declares `history_source: messages`, but no messages were set for any of its children: call \
         `.for_agent(\"helper\", |agent| agent.messages(..))`"
    );
    // An app asks it by itself.
    let app = App::builder()
        .agent::<Sharing>()
        .agent::<Helper>()
        .for_agent("helper", |agent| agent.messages(brief()));
    app.model(ScriptedModel::new()).build().await.unwrap();
}

/// What a guardrail refuses or masks in a child's result would come in with its conversation.
#[tokio::test]
async fn l1_conversations_of_children_do_not_pass_by_the_guardrails_of_results() {
    let merged = |error: &BuildError| matches!(error, BuildError::Contradiction { mistake, .. } if mistake.contains("adds the conversations of"));
    let error = Guarding::builder().model(ScriptedModel::new()).build().await.unwrap_err();
    assert!(merged(&error) && error.to_string().contains("`MaskPii`"), "{error}");
    let sharing = || Sharing::builder().model(ScriptedModel::new());
    let error = sharing().output_guardrail(RejectInjection).build().await.unwrap_err();
    assert!(merged(&error), "{error}");
    sharing().build().await.unwrap();
    Keeping::builder().model(ScriptedModel::new()).output_guardrail(RejectInjection).build().await.unwrap();
}
