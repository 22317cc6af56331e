//! A9: run hooks that are written by hand, in runs of every kind.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use onionskin::declaration::{AgentDeclaration, Limits};
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::{Message, RequestOption};
use onionskin::run::AgentRun;
use onionskin::run_hooks::{
    BoxError, CheckTrigger, InputCheckError, OutputCheckError, RunAnswer, RunHook, RunInput,
};
use onionskin::{
    Agent, AgentHandle, CancellationToken, Exit, RunContext, RunError, ScriptedModel, ScriptedTurn, Secret,
    ToolResult, agent, made, tool,
};
use serde_json::json;

use crate::log::Log;

/// Notes what it sees, and puts its name behind it.
struct Marks(&'static str, Log);

impl RunHook for Marks {
    type Made = made::AtRunTime;

    async fn before_run(&self, run: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        tokio::task::yield_now().await;
        self.1.push(format!("{} before {}: {}", self.0, run.agent().name(), input.text()));
        input.set_text(format!("{}+{}", input.text(), self.0));
        Ok(())
    }

    async fn after_run(&self, run: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        self.1.push(format!("{} after {}: {}", self.0, run.agent().name(), answer.text()));
        answer.set_text(format!("{}-{}", answer.text(), self.0));
        Ok(())
    }
}

type Fault = fn() -> Result<(), BoxError>;

/// Fails before or after the run, having changed the text.
#[derive(Clone, Default)]
struct Fails {
    before: Option<Fault>,
    after: Option<Fault>,
}

impl RunHook for Fails {
    type Made = made::AtRunTime;

    async fn before_run(&self, _: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        let Some(fault) = self.before else { return Ok(()) };
        input.set_text("changed");
        fault()
    }

    async fn after_run(&self, _: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        let Some(fault) = self.after else { return Ok(()) };
        answer.set_text("changed");
        fault()
    }
}

/// The same, and the run goes on.
struct Ignored(Fails);

impl RunHook for Ignored {
    type Made = made::AtRunTime;
    const IGNORE_ERRORS: bool = true;

    async fn before_run(&self, run: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        self.0.before_run(run, input).await
    }

    async fn after_run(&self, run: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        self.0.after_run(run, answer).await
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the directory is closed")]
struct Closed;

/// Looks something up.
#[tool]
fn look_up() -> &'static str {
    "found"
}

/// Ends the run at once.
#[tool]
fn abort() -> ToolResult<String> {
    Err(Exit::abort("no more"))
}

agent! {
    Clerk { instruction: "Answer.", function_tools: [look_up, abort] }
    Child { instruction: "Answer.", description: "Answers." }
    Parent { instruction: "Ask.", agents: [Child] }
}

/// Answers without a model.
struct Echo;

impl Agent for Echo {
    const NAME: &'static str = "Echo";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().run_hook(Marks("declared", Log::default()))
    }

    async fn run(_: &AgentRun, input: String) -> Result<String, RunError> {
        Ok(format!("<{input}>"))
    }
}

fn model() -> Arc<ScriptedModel> {
    let turns = [ScriptedTurn::call("look_up", json!({})), ScriptedTurn::say("{input}!")];
    Arc::new(ScriptedModel::turns(turns))
}

async fn clerk(hook: impl RunHook<Made = made::AtRunTime>) -> (AgentHandle, Arc<ScriptedModel>) {
    let model = model();
    (Clerk::builder().model(model.clone()).run_hook(hook).build().await.unwrap(), model)
}

fn texts<'m>(messages: impl IntoIterator<Item = &'m onionskin::model::Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_text().into_owned()).collect()
}

#[tokio::test]
async fn a9_run_hooks_run_once_in_their_order_before_the_first_turn_and_after_the_last() {
    let log = Log::default();
    let hooks = ["a", "b"].map(|name| Marks(name, log.clone()));
    let [first, second] = hooks;
    let clerk = Clerk::builder().model(model()).run_hook(first).run_hook(second).build().await.unwrap();
    let order =
        ["a before Clerk: x", "b before Clerk: x+a", "a after Clerk: x+a+b!", "b after Clerk: x+a+b!-a"];
    assert_eq!(clerk.run("x").await.unwrap().text, "x+a+b!-a-b");
    assert_eq!(log.take(), order);

    // Streamed, the same.
    let mut stream = clerk.stream("x");
    let (mut input, mut deltas, mut finished) = (String::new(), String::new(), Vec::new());
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::RunStarted { input: given, .. } => input = given.to_string(),
            EventKind::TextDelta { text, .. } => deltas.push_str(&text),
            EventKind::RunFinished { text, .. } => finished.push(text),
            _ => {}
        }
    }
    assert_eq!((&*input, &*deltas), ("x", "x+a+b!"));
    assert_eq!(finished, ["x+a+b!-a-b"]);
    assert_eq!(stream.output().await.unwrap().text, "x+a+b!-a-b");
    assert_eq!(log.take(), order);
}

#[tokio::test]
async fn a9_the_history_holds_what_the_model_read_and_wrote() {
    let log = Log::default();
    let (clerk, model) = clerk(Marks("a", log)).await;
    let session = clerk.session();
    clerk.request("x").session(&session).run().await.unwrap();
    assert_eq!(texts(session.history().iter()), ["x+a", "", "found", "x+a!"]);
    let requests = model.requests();
    assert_eq!(texts(requests[0].messages.iter()), ["x+a"]);
}

#[tokio::test]
async fn a9_run_hooks_run_around_agents_with_a_loop_of_their_own() {
    let log = Log::default();
    let echo = Echo::builder().model(ScriptedModel::new()).run_hook(Marks("added", log.clone()));
    // Those of the declaration come first.
    assert_eq!(echo.run("x").await.unwrap().text, "<x+declared+added>-declared-added");
    assert_eq!(
        log.take(),
        ["added before Echo: x+declared", "added after Echo: <x+declared+added>-declared"]
    );
}

#[tokio::test]
async fn a9_children_have_run_hooks_of_their_own() {
    let log = Log::default();
    let model = crate::asks_a_child("{input}?");
    let child_marks = Marks("c", log.clone());
    let parent = Parent::builder()
        .model(model)
        .run_hook(Marks("p", log.clone()))
        .for_agent("Child", |agent| agent.run_hook(child_marks));
    assert_eq!(parent.run("x").await.unwrap().text, "y+c?-c-p");
    assert_eq!(
        log.take(),
        ["p before Parent: x", "c before Child: y", "c after Child: y+c?", "p after Parent: y+c?-c"]
    );
}

#[tokio::test]
async fn a9_a_refused_input_ends_the_run_before_any_model_or_tool() {
    let fault: Fault = || {
        let error = InputCheckError::new("not about lamps").with_trigger(CheckTrigger::OffTopic);
        Err(error.with_source(Closed).into())
    };
    let log = Log::default();
    let model = model();
    let clerk = Clerk::builder()
        .model(model.clone())
        .run_hook(Fails { before: Some(fault), after: None })
        .run_hook(Marks("later", log.clone()));
    let clerk = clerk.build().await.unwrap();
    let session = clerk.session();
    let error = clerk.request("x").session(&session).run().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the run hook `Fails` refused the input of the agent `Clerk`: not about lamps"
    );
    let RunError::InputCheck { agent, hook, source, .. } = &error else { panic!("{error}") };
    assert_eq!((&**agent, *hook), ("Clerk", "Fails"));
    assert_eq!((source.reason(), source.trigger()), ("not about lamps", CheckTrigger::OffTopic));
    assert!(error.source().unwrap().source().unwrap().is::<Closed>());
    assert!(model.requests().is_empty() && log.take().is_empty() && session.history().is_empty());
}

#[tokio::test]
async fn a9_a_refused_answer_ends_the_run_and_no_model_reads_it_again() {
    let fault: Fault = || Err(OutputCheckError::new("too short").into());
    let (clerk, model) = clerk(Fails { before: None, after: Some(fault) }).await;
    let session = clerk.session();
    let error = clerk.request("x").session(&session).run().await.unwrap_err();
    assert!(
        matches!(&error, RunError::OutputCheck { source, .. }
            if source.reason() == "too short" && source.trigger() == CheckTrigger::OutputNotAllowed),
        "{error}"
    );
    assert_eq!(error.to_string(), "the run hook `Fails` refused the answer of the agent `Clerk`: too short");
    // What was called stays.
    let kept = ["x", "", "found", "(This answer was refused.)"];
    assert_eq!(texts(session.history().iter()), kept);
    assert!(!serde_json::to_string(&session.save()).unwrap().contains("x!"));
    let _ = clerk.request("y").session(&session).run().await.unwrap_err();
    assert_eq!(texts(model.requests().last().unwrap().messages.iter())[..4], kept);
}

#[tokio::test]
async fn a9_an_answer_whose_check_failed_or_was_cut_is_not_read_again_either() {
    let (fails, panics): (Fault, Fault) = (|| Err(Closed.into()), || panic!("the directory is closed"));
    for fault in [fails, panics] {
        let (clerk, _) = clerk(Fails { before: None, after: Some(fault) }).await;
        let session = clerk.session();
        clerk.request("x").session(&session).run().await.unwrap_err();
        assert_eq!(texts(session.history().iter()).last().unwrap(), "(This answer was refused.)");
    }
    let (clerk, _) = clerk(Waits(Log::default())).await;
    let session = clerk.session();
    let run = clerk.request("wait after").session(&session).run();
    assert!(tokio::time::timeout(Duration::from_millis(50), run).await.is_err());
    assert_eq!(texts(session.history().iter()).last().unwrap(), "(This answer was refused.)");
}

/// An answer of a type.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "its schema is what counts")]
struct Answered {
    what: String,
}

#[tokio::test]
async fn a9_a_refused_answer_that_is_a_call_is_not_read_again() {
    let fault: Fault = || Err(OutputCheckError::new("too short").into());
    let by_call = ScriptedTurn::call("final_answer", json!({ "what": "lamps" }));
    let by_call = ScriptedModel::turns([by_call]).without([RequestOption::ResponseSchema]);
    let by_text = ScriptedModel::turns([ScriptedTurn::say(r#"{"what": "lamps"}"#)]);
    for builder in [Clerk::builder().model(by_call), Clerk::builder().model(by_text)] {
        let clerk = builder.run_hook(Fails { before: None, after: Some(fault) }).build().await.unwrap();
        let session = clerk.session();
        let error = clerk.request("x").session(&session).run_as::<Answered>().await.map(|_| ()).unwrap_err();
        assert!(matches!(error, RunError::OutputCheck { .. }), "{error}");
        assert_eq!(texts(session.history().iter()), ["x", "(This answer was refused.)"]);
        assert!(!serde_json::to_string(&session.save()).unwrap().contains("lamps"));
    }
}

#[tokio::test]
async fn a9_what_a_run_did_not_say_itself_stays() {
    let fault: Fault = || Err(OutputCheckError::new("too short").into());
    let echo = Echo::builder().model(ScriptedModel::new());
    let echo = echo.run_hook(Fails { before: None, after: Some(fault) }).build().await.unwrap();
    let session = echo.session();
    let before = ["asked before", "said before"];
    session.set_history(vec![Message::user(before[0]), Message::assistant(before[1])]).unwrap();
    echo.request("x").session(&session).run().await.unwrap_err();
    assert_eq!(texts(session.history().iter()), before);
}

#[tokio::test]
async fn a9_another_error_of_a_run_hook_fails_the_run() {
    let faults: [Fault; 2] = [|| Err(Closed.into()), || panic!("the directory is closed")];
    for (at, fault) in faults.into_iter().enumerate() {
        for hook in [Fails { before: Some(fault), after: None }, Fails { before: None, after: Some(fault) }] {
            let is_before = hook.before.is_some();
            let (clerk, model) = clerk(hook).await;
            let error = clerk.run("x").await.unwrap_err();
            let RunError::RunHook { source, .. } = &error else { panic!("{error}") };
            assert_eq!(source.downcast_ref::<Closed>().is_some(), at == 0);
            let panicked = if at == 1 { "it panicked: " } else { "" };
            assert_eq!(
                error.to_string(),
                format!(
                    "the run hook `Fails` of the agent `Clerk` failed: {panicked}the directory is closed"
                )
            );
            assert_eq!(model.requests().is_empty(), is_before);
        }
    }
}

#[tokio::test]
async fn a9_an_ignored_error_is_an_event_and_changes_nothing() {
    let faults: [Fault; 3] = [
        || Err(Closed.into()),
        || Err(InputCheckError::new("the directory is closed").into()),
        || panic!("the directory is closed"),
    ];
    for fault in faults {
        let hook = Fails { before: Some(fault), after: Some(fault) };
        let (clerk, _) = clerk(Ignored(hook)).await;
        let mut stream = clerk.stream("x");
        let mut notices = Vec::new();
        while let Some(event) = stream.next().await {
            if let EventKind::Notice { text, .. } = event.kind {
                notices.push(text);
            }
        }
        assert_eq!(stream.output().await.unwrap().text, "x!");
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert!(
            notices
                .iter()
                .all(|text| text.starts_with("the run hook `Ignored` failed, and the run continues")
                    && text.ends_with("the directory is closed"))
        );
    }
}

#[tokio::test]
async fn a9_a_refusal_of_a_child_is_an_error_that_its_parent_reads() {
    let model = crate::asks_a_child("never");
    let fault: Fault = || Err(InputCheckError::new("not about lamps").into());
    let parent = Parent::builder()
        .model(model)
        .for_agent("Child", move |agent| agent.run_hook(Fails { before: Some(fault), after: None }));
    let text = parent.run("x").await.unwrap().text;
    assert!(text.contains("the run hook `Fails` refused the input of the agent `Child`"), "{text}");
}

/// Waits for ever.
struct Waits(Log);

impl RunHook for Waits {
    type Made = made::AtRunTime;

    async fn before_run(&self, _: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        if input.text() == "wait before" { std::future::pending().await } else { Ok(()) }
    }

    async fn after_run(&self, _: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        self.0.push("after");
        if answer.text() == "wait after!" { std::future::pending().await } else { Ok(()) }
    }
}

#[tokio::test(start_paused = true)]
async fn a9_a_time_limit_and_a_cancellation_end_run_hooks() {
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_secs(5));
    for input in ["wait before", "wait after"] {
        let clerk = Clerk::builder().model(model()).limits(limits.clone()).run_hook(Waits(Log::default()));
        let error = clerk.run(input).await.unwrap_err();
        assert!(matches!(error, RunError::Limit { .. }), "{error}");

        let (clerk, _) = clerk_that_waits().await;
        let token = CancellationToken::new();
        let run = clerk.request(input).cancellation(token.clone()).run();
        let (ended, ()) = tokio::join!(run, async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            token.cancel();
        });
        assert!(matches!(ended.unwrap_err(), RunError::Cancelled { .. }));
    }
}

async fn clerk_that_waits() -> (AgentHandle, Arc<ScriptedModel>) {
    clerk(Waits(Log::default())).await
}

#[tokio::test]
async fn a9_no_hook_runs_after_a_run_without_an_answer() {
    let log = Log::default();
    let turns = ScriptedModel::turns([ScriptedTurn::call("abort", json!({})), ScriptedTurn::say("never")]);
    let clerk = Clerk::builder().model(turns).run_hook(Waits(log.clone()));
    assert!(matches!(clerk.run("x").await.unwrap_err(), RunError::Aborted(_)));
    assert!(log.take().is_empty());
}

#[tokio::test]
async fn a9_a_replay_runs_the_hooks_again() {
    let log = Log::default();
    let journal = MemoryJournal::default();
    let model = model();
    let clerk = Clerk::builder().model(model.clone()).journal(journal).run_hook(Marks("a", log.clone()));
    let clerk = clerk.build().await.unwrap();
    let first = clerk.request("x").run_id("7").run().await.unwrap();
    let asked = model.requests().len();
    log.take();
    assert_eq!(clerk.request("x").run_id("7").run().await.unwrap().text, first.text);
    assert_eq!(log.take().len(), 2);
    assert_eq!(model.requests().len(), asked);
}

#[tokio::test]
async fn a9_errors_of_run_hooks_show_no_secret() {
    let faults: [Fault; 3] = [
        || Err(InputCheckError::new("the key is hunter2hunter2").with_source("hunter2hunter2").into()),
        || Err("the key is hunter2hunter2".into()),
        || panic!("the key is hunter2hunter2"),
    ];
    for fault in faults {
        for hook in [Fails { before: Some(fault), after: None }, Fails { before: None, after: Some(fault) }] {
            let secret = Secret::new("hunter2hunter2".to_owned());
            let clerk = Clerk::builder().model(model()).conceal(&secret);
            let mut stream = clerk.run_hook(Ignored(hook.clone())).stream("x").await.unwrap();
            while let Some(event) = stream.next().await {
                assert!(!format!("{event:?}").contains("hunter2"), "{event:?}");
            }
            let clerk = Clerk::builder().model(model()).conceal(&secret);
            let error = clerk.run_hook(hook).run("x").await.unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
        }
    }
}
