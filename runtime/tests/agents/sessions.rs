//! Sessions: who may go on in one, and in which order.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt;
use onionskin::declaration::Limits;
use onionskin::event::EventKind;
use onionskin::run::RunStream;
use onionskin::{
    AgentHandle, AgentTool, App, CancellationToken, RunError, RunOutput, ScriptedModel, ScriptedTurn, Secret,
    Session, State, agent, call, tool,
};
use serde_json::json;
use tokio::sync::{Barrier, Semaphore};

#[derive(Clone)]
struct Till(u32);

/// Counts the till.
#[tool]
fn count(till: State<Till>) -> u32 {
    till.update(|till| till.0 += 1);
    till.latest().0
}

agent! {
    Teller { name: "teller", default: true, description: "Counts.", instruction: "Count.", state: Till, function_tools: [count] }
    Manager { name: "manager", instruction: "Ask.", agents: [Teller] }
    Guest { name: "guest", instruction: "Talk." }
}

fn counts() -> ScriptedModel {
    ScriptedModel::new()
        .agent("teller", [ScriptedTurn::call("count", json!({})), ScriptedTurn::say("{last}")])
        .agent(
            "manager",
            [ScriptedTurn::call("agent__teller", json!({ "input": "x" })), ScriptedTurn::say("{last}")],
        )
        .agent("guest", [ScriptedTurn::say("hello"), ScriptedTurn::say("again")])
}

#[tokio::test]
async fn a12_a_session_without_the_agents_state_is_refused() {
    let guest = Guest::builder().model(counts()).build().await.unwrap();
    let teller = Teller::builder().model(counts()).state(Till(0)).build().await.unwrap();
    let manager = Manager::builder().model(counts()).state(Till(0)).build().await.unwrap();
    for agent in [&teller, &manager] {
        let session = guest.session();
        let error = agent.request("go").session(&session).run().await.unwrap_err();
        let RunError::NoState { agent, state, .. } = &error else { panic!("{error}") };
        assert_eq!((&**agent, *state), ("teller", std::any::type_name::<Till>()), "also as a child");
        assert_eq!(
            error.to_string(),
            "the session holds no `agents::sessions::Till`, the state of the agent `teller`, because another agent made the \
             session: make it with `AgentHandle::session` of the agent that uses it"
        );
        assert!(session.history().is_empty());
    }
    assert_eq!(teller.request("go").session(&teller.session()).run().await.unwrap().text, "1");
}

#[tokio::test]
async fn a8_a_run_that_does_not_begin_reports_its_end() {
    let guest = Guest::builder().model(counts()).build().await.unwrap();
    let teller = Teller::builder().model(counts()).state(Till(0)).build().await.unwrap();
    let mut stream = teller.request("go").session(&guest.session()).stream();
    let event = stream.next().await.unwrap();
    let EventKind::RunFailed { error, .. } = &event.kind else { panic!("{event:?}") };
    assert!(error.starts_with("the session holds no `agents::sessions::Till`"), "{error}");
    assert!(stream.next().await.is_none());

    let ask = AgentTool::new(&teller).name("ask").thread(&guest.session());
    let model = ScriptedModel::turns([
        ScriptedTurn::call("ask", json!({ "input": "x" })),
        ScriptedTurn::say("{last}"),
    ]);
    let caller = Guest::builder().model(model).tool(ask).build().await.unwrap();
    let mut stream = caller.request("go").stream();
    let mut failed = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::RunFailed { error, .. } = event.kind {
            failed.push((event.agent.to_string(), error));
        }
    }
    let [(agent, error)] = &failed[..] else { panic!("{failed:?}") };
    assert!(agent.starts_with("teller") && error.starts_with("the session holds no"), "{agent}: {error}");
}

#[tokio::test]
async fn a12_a_session_of_another_agent_does_if_it_holds_the_states() {
    let app = App::builder().agent::<Teller>().agent::<Guest>().model(counts()).state(Till(0)).build();
    let app = app.await.unwrap();
    let (teller, guest) = (app.entry(), app.agent("guest").unwrap());
    let session = guest.session();
    assert_eq!(teller.request("go").session(&session).run().await.unwrap().text, "1");
    // A script counts all turns of a session.
    session.set_history(Vec::new()).unwrap();
    let manager = Manager::builder().model(counts()).state(Till(7)).build().await.unwrap();
    assert_eq!(manager.request("go").session(&session).run().await.unwrap().text, "2", "the session's state");
    // Who needs no state needs no session that holds any.
    let stateless = Guest::builder().model(counts()).build().await.unwrap().session();
    assert_eq!(guest.request("go").session(&stateless).run().await.unwrap().text, "hello");
}

#[tokio::test]
async fn t8_an_agent_keeps_its_secrets_in_the_session_of_another() {
    let secret = "the-guests-own-key";
    let model = ScriptedModel::turns([ScriptedTurn::say(format!("it is {secret}"))]);
    let guest = Guest::builder().model(model).conceal(&Secret::from(secret)).build().await.unwrap();
    let other = Guest::builder().model(counts()).build().await.unwrap();
    let output = guest.request("go").session(&other.session()).run().await.unwrap();
    assert_eq!(output.text, "it is [secret]");
}

/// Where calls meet or wait to be let in, and where the agent itself is known.
#[derive(Clone)]
struct Scene {
    two: Arc<Barrier>,
    gate: Arc<Semaphore>,
    own: Arc<OnceLock<(AgentHandle, Session)>>,
}

/// Waits for another call.
#[tool]
async fn meet(scene: State<Scene>) -> &'static str {
    scene.two.wait().await;
    "met"
}

/// Waits to be let in.
#[tool]
async fn enter(scene: State<Scene>) -> &'static str {
    scene.gate.acquire().await.unwrap().forget();
    "in"
}

/// Goes on in its own session.
#[tool]
async fn nest(scene: State<Scene>) -> String {
    let (agent, session) = scene.own.get().unwrap();
    agent.request("and?").session(session).run().await.unwrap_err().to_string()
}

/// Goes on in its own session, without async.
#[tool(blocking)]
fn nest_by_tool(scene: State<Scene>) -> String {
    let (agent, session) = scene.own.get().unwrap();
    // It ends by itself where it is not refused: nothing can end a thread that blocks.
    let tool = AgentTool::new(agent).thread(session).timeout(Duration::from_secs(5)).spec();
    tool.call_blocking(json!({ "input": "and?" })).unwrap_err().to_string()
}

/// Meets a run of another session, then goes on in that session.
#[tool]
async fn cross(scene: State<Scene>) -> String {
    scene.two.wait().await;
    let (agent, session) = scene.own.get().unwrap();
    match agent.request("and?").session(session).run().await {
        Ok(output) => output.text,
        Err(error) => error.to_string(),
    }
}

agent! {
    Actor { name: "actor", instruction: "Act.", state: Scene, function_tools: [meet, enter, nest, nest_by_tool, cross] }
}

/// An actor whose every run calls one tool and says what it gave.
async fn actor(tool: &str, limits: Limits) -> (AgentHandle, Arc<ScriptedModel>, Scene) {
    let turns = [ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")];
    let model = Arc::new(ScriptedModel::turns([turns.clone(), turns].concat()));
    let scene =
        Scene { two: Arc::new(Barrier::new(2)), gate: Arc::new(Semaphore::new(0)), own: Arc::default() };
    let agent = Actor::builder().model(Arc::clone(&model)).state(scene.clone()).limits(limits);
    (agent.build().await.unwrap(), model, scene)
}

/// Fails, rather than to hang, where runs wait for each other.
async fn ends<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work).await.expect("it waits for itself")
}

fn said(output: Result<RunOutput, RunError>) -> String {
    output.unwrap().text
}

fn texts(session: &Session) -> Vec<String> {
    session.history().iter().map(|message| message.to_text().into_owned()).collect()
}

#[tokio::test]
async fn a12_runs_of_one_session_go_one_after_the_other() {
    let (agent, model, scene) = actor("enter", Limits::default()).await;
    let session = agent.session();
    let run = |input: &str| agent.request(input).session(&session).run();
    // Both have been begun when the gate opens.
    let open = async { scene.gate.add_permits(2) };
    let (first, second, ()) = ends(async { tokio::join!(run("one"), run("two"), open) }).await;
    assert_eq!((said(first), said(second)), ("in".into(), "in".into()));
    assert_eq!(texts(&session), ["one", "", "in", "in", "two", "", "in", "in"]);
    let seen: Vec<_> = model.requests().iter().map(|request| request.messages.len()).collect();
    assert_eq!(seen, [1, 3, 5, 7], "the second run began with what the first one left");
}

#[tokio::test]
async fn a12_runs_of_different_sessions_go_on_at_once() {
    let (agent, ..) = actor("meet", Limits::default()).await;
    let (one, two) = ends(async { tokio::join!(agent.run("one"), agent.run("two")) }).await;
    assert_eq!((said(one), said(two)), ("met".into(), "met".into()));
}

#[tokio::test]
async fn a12_a_run_and_a_call_into_the_thread_take_turns() {
    let (agent, _, scene) = actor("enter", Limits::default()).await;
    let session = agent.session();
    let tool = AgentTool::new(&agent).thread(&session).spec();
    let run = agent.request("one").session(&session).run();
    let open = async { scene.gate.add_permits(2) };
    let (run, called, ()) = ends(async { tokio::join!(run, call!(tool, input = "two"), open) }).await;
    assert_eq!((said(run), called.unwrap()), ("in".into(), "in".into()));
    assert_eq!(texts(&session), ["one", "", "in", "in", "two", "", "in", "in"]);
}

/// Reads a run until its tool waits to be let in.
async fn held(agent: &AgentHandle, session: &Session) -> RunStream {
    let mut run = agent.request("held").session(session).stream();
    while !matches!(run.next().await.unwrap().kind, EventKind::ToolStarted { .. }) {}
    run
}

#[tokio::test]
async fn a12_a_run_that_is_dropped_gives_its_turn_up() {
    let (agent, ..) = actor("enter", Limits::default()).await;
    let session = agent.session();
    let first = held(&agent, &session).await;
    let mut second = agent.request("two").session(&session).stream();
    assert_eq!(second.next().now_or_never(), None, "it has not begun");
    drop(first);
    // It goes on where the first one was cut: the script counts that one's turn.
    assert_eq!(said(ends(second.output()).await), "two");
    assert_eq!(
        texts(&session),
        ["held", "", "cancelled before it finished; whether it took effect is not known", "two", "two"]
    );
}

#[tokio::test]
async fn a12_a_run_whose_last_event_was_read_is_over_though_it_is_still_there() {
    let (agent, _, scene) = actor("enter", Limits::default()).await;
    scene.gate.add_permits(2);
    let session = agent.session();
    let mut first = agent.request("one").session(&session).stream();
    while !matches!(first.next().await.unwrap().kind, EventKind::RunFinished { .. }) {}
    assert_eq!(said(ends(agent.request("two").session(&session).run()).await), "in");
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn a12_the_wait_for_a_session_is_bounded_by_the_runs_time_and_token() {
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_secs(5));
    let (agent, ..) = actor("enter", limits).await;
    let session = agent.session();
    let first = held(&agent, &session).await;

    let error = agent.request("two").session(&session).run().await.unwrap_err();
    let RunError::Busy { agent: name, session: id, limit, .. } = &error else { panic!("{error}") };
    assert_eq!((&**name, &**id, *limit), ("actor", session.id(), Duration::from_secs(5)));

    let token = CancellationToken::new();
    let third = agent.request("three").session(&session).cancellation(token.clone()).run();
    let (third, ()) = tokio::join!(third, async { token.cancel() });
    assert!(matches!(third, Err(RunError::Cancelled { .. })), "{third:?}");
    drop(first);
}

#[tokio::test]
async fn a12_a_run_within_a_run_of_its_session_does_not_wait_for_itself() {
    for tool in ["nest", "nest_by_tool"] {
        let (agent, _, scene) = actor(tool, Limits::default()).await;
        let session = agent.session();
        assert!(scene.own.set((agent.clone(), session.clone())).is_ok());
        assert_eq!(
            said(ends(agent.request("go").session(&session).run()).await),
            "the agent `actor` cannot continue a session that waits for this call: run it in another session",
            "{tool}"
        );
        assert_eq!(session.history().len(), 4, "{tool}");
    }
}

/// Each holds its session and waits for the other's: without a time limit nothing else would end it.
#[tokio::test]
async fn a12_two_sessions_that_wait_for_each_other_do_not_wait_for_ever() {
    let hello = ScriptedModel::turns(vec![ScriptedTurn::say("hello"); 9]);
    let guest = Guest::builder().model(hello).build().await.unwrap();
    let ((one, _, first), (other, _, mut second)) =
        tokio::join!(actor("cross", Limits::default()), actor("cross", Limits::default()));
    second.two = Arc::clone(&first.two);
    let other = {
        let model =
            ScriptedModel::turns([ScriptedTurn::call("cross", json!({})), ScriptedTurn::say("{last}")]);
        drop(other);
        Actor::builder().model(model).state(second.clone()).build().await.unwrap()
    };
    let (own, others) = (one.session(), other.session());
    assert!(first.own.set((guest.clone(), others.clone())).is_ok());
    assert!(second.own.set((guest, own.clone())).is_ok());
    let runs = async {
        tokio::join!(one.request("go").session(&own).run(), other.request("go").session(&others).run())
    };
    let (one, other) = ends(runs).await;
    let texts = [said(one), said(other)];
    let refused =
        "the agent `guest` cannot continue a session that waits for this call: run it in another session";
    assert!(texts.iter().any(|text| text == refused), "{texts:?}");
    assert!(texts.iter().all(|text| text == refused || text == "hello"), "{texts:?}");
}
