//! Approvals: a run without an approver pauses, in parallel calls and in children too, and goes on with the answers.

use std::sync::Arc;

use onionskin::approval::{Always, Approval, ApprovalRequest};
use onionskin::event::{CallOutcome, EventKind};
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, AnswerError, Paused, Question, QuestionKind};
use onionskin::run::SavedSession;
use onionskin::{
    AgentTool, Args, Next, RunError, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult, agent,
    hooks, tool, tool_hook,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{Log, key, open, paused};

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: i64, log: onionskin::Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents}")
}

/// Looks.
#[tool]
fn look(at: &str, log: onionskin::Provided<Log>) -> String {
    log.push(format!("looked at {at}"));
    "seen".to_owned()
}

/// Looks for a while.
#[tool]
async fn look_long(log: onionskin::Provided<Log>) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    log.push("looked long");
    "seen".to_owned()
}

#[tool_hook]
async fn watches(args: &mut Args, next: impl Next, log: onionskin::Provided<Log>) -> ToolResult {
    let result = next.run(args).await;
    if let Err(exit) = &result {
        log.push(format!("hook saw {exit}"));
    }
    result
}

agent! {
    Payer {
        description: "Pays.",
        instruction: "Pay.",
        function_tools: [pay, look, look_long],
        tool_hooks: [watches],
    }
    Boss {
        instruction: "Have it paid.",
        agents: [Payer],
        function_tools: [look],
    }
}

fn pays(cents: &[i64]) -> Vec<(&'static str, serde_json::Value)> {
    cents.iter().map(|cents| ("pay", json!({ "cents": cents }))).collect()
}

/// One turn with these calls.
fn calls(calls: impl IntoIterator<Item = (&'static str, serde_json::Value)>) -> ScriptedTurn {
    calls.into_iter().fold(ScriptedTurn::default(), |turn, (tool, args)| turn.and_call(tool, args))
}

fn script(turns: impl IntoIterator<Item = Vec<(&'static str, serde_json::Value)>>) -> ScriptedModel {
    let turns = turns.into_iter().map(calls);
    ScriptedModel::turns(turns.chain([ScriptedTurn::say("done: {last}")]))
}

async fn payer(log: &Log, model: ScriptedModel) -> onionskin::AgentHandle {
    Payer::builder().model(model).provide(log.clone()).build().await.unwrap()
}

#[tokio::test]
async fn a7_a_call_without_an_approver_pauses_the_run_and_goes_on_with_the_answer() {
    let log = Log::default();
    let agent = payer(&log, script([pays(&[5])])).await;
    let paused = paused(agent.run("go").await);
    assert!(log.take().is_empty());
    assert_eq!((paused.agent_name(), paused.input()), ("Payer", "go"));
    let [question] = paused.questions() else { panic!("{paused:?}") };
    assert_eq!((question.kind(), question.tool_name()), (&QuestionKind::Approval, "pay"));
    assert_eq!(question.arguments(), &json!({ "cents": 5 }));
    assert_eq!(question.agents().iter().map(|name| &**name).collect::<Vec<_>>(), ["Payer"]);
    assert!(
        question.key().starts_with(&format!("{}: turn 1/call 1/ask pay", paused.run_id())),
        "{}",
        question.key()
    );

    // Another process has other agents.
    let agent = payer(&log, script([pays(&[5])])).await;
    let output = agent.resume(&paused).answer(question.key(), Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), output.turns), ("done: paid 5", 2));
    assert_eq!(log.take(), ["paid 5"]);
}

#[tokio::test]
async fn a7_a_denied_call_sends_the_model_the_reason() {
    let log = Log::default();
    let agent = payer(&log, script([pays(&[5])])).await;
    let paused = paused(agent.run("go").await);
    let answer = Approval::deny("ask Ada");
    let output = agent.resume(&paused).answer(paused.questions()[0].key(), answer).run().await.unwrap();
    assert_eq!(output.text, "done: Tool execution was not approved: ask Ada");
    assert_eq!(log.take(), ["hook saw Tool execution was not approved: ask Ada"]);
}

#[tokio::test]
async fn a7_other_calls_of_the_turn_end_first_and_run_once() {
    let log = Log::default();
    let mut calls = pays(&[1, 2]);
    calls.insert(1, ("look_long", json!({})));
    calls.push(("look", json!({ "at": "it" })));
    let agent = payer(&log, script([vec![("look", json!({ "at": "first" }))], calls])).await;
    let first = paused(agent.run("go").await);
    assert_eq!(log.take(), ["looked at first", "looked at it", "looked long"]);
    assert_eq!(open(&first), [r#"pay {"cents":1}"#, r#"pay {"cents":2}"#]);

    let second = key(&first, &json!({ "cents": 2 }));
    let next = paused(agent.resume(&first).answer(second, Answer::allow()).run().await);
    assert_eq!(log.take(), ["paid 2"]);
    assert_eq!(open(&next), [r#"pay {"cents":1}"#]);

    // Nothing is answered, so nothing happens.
    let same = paused(agent.resume(&next).run().await);
    assert_eq!((&same, log.take().len()), (&next, 0));

    let output =
        agent.resume(&next).answer(next.questions()[0].key(), Answer::deny("no")).run().await.unwrap();
    assert_eq!(log.take(), ["hook saw Tool execution was not approved: no"]);
    let results: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
    assert_eq!(results[1..], ["Tool execution was not approved: no", "seen", "paid 2", "seen"]);
}

#[tokio::test]
async fn a7_events_say_that_the_call_waits_and_the_run_paused() {
    let log = Log::default();
    let agent = payer(&log, script([pays(&[5])])).await;
    let mut stream = agent.stream("go");
    let mut kinds = Vec::new();
    while let Some(event) = stream.next().await {
        kinds.push(match event.kind {
            EventKind::ToolStarted { tool, .. } => format!("started {tool}"),
            EventKind::QuestionAsked { question, .. } => format!("asked {}", question.tool_name()),
            EventKind::ToolFinished { outcome, .. } => {
                assert_eq!(outcome, CallOutcome::Paused);
                "paused".to_owned()
            }
            EventKind::RunPaused { open, .. } => format!("run paused with {}", open.len()),
            EventKind::RunFailed { error, .. } => error,
            _ => continue,
        });
    }
    assert_eq!(kinds, ["started pay", "asked pay", "paused", "run paused with 1"]);
    assert!(matches!(stream.output().await, Err(RunError::Paused(_))));
}

fn bosses(children: usize) -> ScriptedModel {
    let ask = |number: usize| ("agent__Payer", json!({ "input": format!("{number}") }));
    let boss = [calls((1..=children).map(ask)), ScriptedTurn::say("{last}")];
    let child = [
        calls([("look", json!({ "at": "{input}" }))]),
        calls([("pay", json!({ "cents": "{input}" }))]),
        ScriptedTurn::say("child: {last}"),
    ];
    ScriptedModel::new().agent("Boss", boss).agent("Payer", child)
}

#[tokio::test]
async fn a7_a_call_of_a_child_pauses_the_whole_run() {
    let log = Log::default();
    let boss = Boss::builder().model(bosses(2)).provide(log.clone()).build().await.unwrap();
    let first = paused(boss.run("go").await);
    assert_eq!(first.agent_name(), "Boss");
    let agents: Vec<_> = first.questions().iter().map(|question| question.agents().join("/")).collect();
    assert_eq!(agents, ["Boss/Payer[1]", "Boss/Payer[2]"]);
    let mut looked = log.take();
    looked.sort();
    assert_eq!(looked, ["looked at 1", "looked at 2"]);

    let next =
        paused(boss.resume(&first).answer(key(&first, &json!({ "cents": 1 })), Answer::allow()).run().await);
    assert_eq!((log.take(), open(&next)), (vec!["paid 1".to_owned()], vec![r#"pay {"cents":2}"#.to_owned()]));
    let output = crate::support::allowed(&boss, &next).await;
    assert_eq!(
        (log.take(), output.text.as_str()),
        (vec!["paid 2".to_owned()], "child: paid 1\nchild: paid 2")
    );
    assert_eq!(output.tool_calls[0].to_text(), "child: paid 1");
}

#[tokio::test]
async fn a7_a_call_of_an_agent_tool_pauses_the_whole_run() {
    agent! { Outer { instruction: "Have it paid." } }

    let log = Log::default();
    let tool = AgentTool::new(&payer(&log, script([pays(&[5])])).await)
        .name("payer")
        .on_error(|_, error| Ok(format!("it ended: {error}").into()));
    let model = ScriptedModel::turns([
        ScriptedTurn::call("payer", json!({ "input": "go" })),
        ScriptedTurn::say("{last}"),
    ]);
    let outer = Outer::builder().tool(tool).model(model).build().await.unwrap();
    let first = paused(outer.run("go").await);
    assert_eq!(open(&first), [r#"pay {"cents":5}"#]);
    let output = crate::support::allowed(&outer, &first).await;
    assert_eq!((output.text.as_str(), log.take()), ("done: paid 5", vec!["paid 5".to_owned()]));
}

#[tokio::test]
async fn a7_with_a_journal_of_the_program_the_same_run_id_pauses_again() {
    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let agent = async || {
        let model = script([vec![("look", json!({ "at": "it" }))], pays(&[5])]);
        Payer::builder()
            .model(model)
            .provide(log.clone())
            .journal(Arc::clone(&journal))
            .build()
            .await
            .unwrap()
    };
    let first = paused(agent().await.request("go").run_id("order-7").run().await);
    // The process died here. The next one knows the id of the order only.
    let second = paused(agent().await.request("go").run_id("order-7").run().await);
    assert_eq!((&first, log.take()), (&second, vec!["looked at it".to_owned()]));
    let key = first.questions()[0].key();
    assert!(!serde_json::to_string(&first).unwrap().contains("looked at"), "the journal has the records");
    let output = agent().await.resume(&first).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("done: paid 5", vec!["paid 5".to_owned()]));
    // The answer is recorded, so the run needs it no more.
    let again = agent().await.request("go").run_id("order-7").run().await.unwrap();
    assert_eq!((again.text, again.usage, log.take().len()), (output.text, output.usage, 0));
    let late = agent().await.resume(&first).answer(key, Answer::deny("no")).run().await.unwrap_err();
    assert!(matches!(&late, RunError::Answer { source: AnswerError::Late { .. }, .. }), "{late}");
    // A plain process has no such records.
    let none = payer(&log, script([])).await.resume(&first).run().await.unwrap_err();
    assert!(matches!(&none, RunError::Answer { source: AnswerError::NoJournal { .. }, .. }), "{none}");
}

#[tokio::test]
async fn a7_wrong_answers_are_refused_and_nothing_is_lost() {
    let log = Log::default();
    let agent = payer(&log, script([pays(&[1, 2])])).await;
    let first = paused(agent.run("go").await);
    let other = paused(agent.run("go").await);
    let key = first.questions()[0].key().to_owned();
    let wrong = async |key: &str, answer: Answer| {
        let error = agent.resume(&first).answer(key, answer).run().await.unwrap_err();
        match error {
            RunError::Answer { source, .. } => source,
            other => panic!("{other}"),
        }
    };
    let unknown = wrong("turn 9", Answer::allow()).await;
    assert!(matches!(unknown, AnswerError::Unknown { .. }));
    assert!(unknown.to_string().contains(&key), "{unknown}");
    assert!(matches!(wrong(other.questions()[0].key(), Answer::allow()).await, AnswerError::OtherRun { .. }));
    assert!(matches!(wrong(&key, Answer::value(true).unwrap()).await, AnswerError::WrongKind { .. }));
    let twice = agent.resume(&first).answer(&key, Answer::allow()).answer(&key, Answer::allow()).run().await;
    assert!(matches!(twice, Err(RunError::Answer { source: AnswerError::Twice { .. }, .. })));
    let nothing = agent.request("go").answer(&key, Answer::allow()).run().await;
    assert!(matches!(nothing, Err(RunError::Answer { source: AnswerError::NotPaused { .. }, .. })));
    let boss = Boss::builder().model(bosses(1)).provide(log.clone()).build().await.unwrap();
    let foreign = boss.resume(&first).run().await;
    assert!(matches!(foreign, Err(RunError::Answer { source: AnswerError::OtherAgent { .. }, .. })));
    assert!(log.take().is_empty());

    let right = agent.resume(&first).answer(&key, Answer::allow());
    assert_eq!(open(&paused(right.run().await)), [r#"pay {"cents":2}"#]);
}

#[tokio::test]
async fn a7_a_later_version_of_a_paused_run_is_refused() {
    let log = Log::default();
    let first = paused(payer(&log, script([pays(&[5])])).await.run("go").await);
    let mut stored = serde_json::to_value(&first).unwrap();
    stored["version"] = json!(9);
    let error = serde_json::from_value::<Paused>(stored).unwrap_err();
    assert!(error.to_string().contains("version 9"), "{error}");
}

/// What is in the till.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Till {
    taken: i64,
}

/// Takes money.
#[tool]
fn take(cents: i64, till: State<Till>) -> i64 {
    till.update(|till| till.taken += cents);
    till.taken
}

agent! {
    Clerk { instruction: "Serve.", state: Till, function_tools: [take, pay] }
}

#[tokio::test]
async fn a7_the_session_is_as_before_the_run_and_gets_its_changes_once() {
    let log = Log::default();
    let turns = [vec![("take", json!({ "cents": 3 }))], pays(&[5])];
    let clerk = Clerk::builder().state(Till { taken: 1 }).model(script(turns)).provide(log.clone());
    let clerk = clerk.build().await.unwrap();
    let session = clerk.session();
    let first = paused(clerk.request("go").session(&session).run().await);
    assert_eq!((session.typed_state::<Till>().unwrap().taken, session.history().len()), (1, 0));
    let answered = clerk.resume(&first).answer(first.questions()[0].key(), Answer::allow());
    assert_eq!(answered.session(&session).run().await.unwrap().text, "done: paid 5");
    assert_eq!((session.typed_state::<Till>().unwrap().taken, session.history().len()), (4, 6));
}

/// A state without JSON.
#[derive(Clone, Default)]
struct Opaque(u32);

/// Counts.
#[tool]
fn count(counted: State<Opaque>) -> u32 {
    counted.update(|counted| {
        counted.0 += 1;
        counted.0
    })
}

agent! {
    Counter { instruction: "Count.", state: Opaque, function_tools: [count, pay] }
}

#[tokio::test]
async fn a7_a_run_that_could_pause_and_does_not_may_change_any_state() {
    let log = Log::default();
    let counter = async |turns: Vec<Vec<_>>| {
        let model = script(turns);
        Counter::builder().state(Opaque(0)).model(model).provide(log.clone()).build().await.unwrap()
    };
    let counts = vec![("count", json!({}))];
    assert_eq!(counter(vec![counts.clone()]).await.run("go").await.unwrap().text, "done: 1");
    // The change cannot be recorded, so the run cannot pause after it.
    let error = counter(vec![counts, pays(&[5])]).await.run("go").await.unwrap_err();
    assert!(matches!(error, RunError::Journal { .. }), "{error}");
    assert!(error.to_string().contains("turn 1/call 1/tool count"), "{error}");
}

#[tokio::test]
async fn u2_other_arguments_need_another_approval() {
    #[tool_hook]
    async fn doubles(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
        next.run(args).await?;
        if ctx.attempt() < 2 {
            args["cents"] = (args["cents"].as_i64().unwrap_or(0) * 2).into();
        }
        next.run(args).await
    }

    agent! {
        Doubler { instruction: "Pay.", function_tools: [pay], tool_hooks: [doubles] }
    }

    let log = Log::default();
    let doubler = Doubler::builder().model(script([pays(&[5])])).provide(log.clone()).build().await.unwrap();
    let first = paused(doubler.run("go").await);
    let second =
        paused(doubler.resume(&first).answer(first.questions()[0].key(), Answer::allow()).run().await);
    assert_eq!(
        (log.take(), open(&second)),
        (vec!["paid 5".to_owned()], vec![r#"pay {"cents":10}"#.to_owned()])
    );
    let output = crate::support::allowed(&doubler, &second).await;
    assert_eq!((output.text.as_str(), log.take()), ("done: paid 10", vec!["paid 10".to_owned()]));
}

#[tokio::test]
async fn u2_an_approved_call_that_is_tried_again_is_not_asked_about_again() {
    /// Fails at first.
    #[tool(approval, effect = idempotent)]
    fn unsteady(ctx: &ToolContext, log: onionskin::Provided<Log>) -> Result<u32, String> {
        log.push(format!("attempt {}", ctx.attempt()));
        if ctx.attempt() < 3 { Err("not yet".to_owned()) } else { Ok(ctx.attempt()) }
    }

    agent! {
        Steady { instruction: "Go.", function_tools: [unsteady], tool_hooks: [hooks::retry(4)] }
    }

    let log = Log::default();
    let model = script([vec![("unsteady", json!({}))]]);
    let steady = Steady::builder().model(model).provide(log.clone()).build().await.unwrap();
    let first = paused(steady.run("go").await);
    let output = crate::support::allowed(&steady, &first).await;
    assert_eq!((output.text.as_str(), log.take().len()), ("done: 3", 3));
}

#[tokio::test]
async fn u3_an_answerer_answers_while_the_run_waits_and_may_leave_a_question_open() {
    let log = Log::default();
    let answerer = |question: Question| async move {
        tokio::task::yield_now().await;
        match question.arguments()["cents"].as_i64() {
            Some(..10) => Some(Answer::allow()),
            Some(10..100) => Some(Answer::deny("too much")),
            _ => None,
        }
    };
    let model = || script([pays(&[5, 50, 500])]);
    let agent =
        Payer::builder().model(model()).provide(log.clone()).answerer(answerer).build().await.unwrap();
    let first = paused(agent.run("go").await);
    assert_eq!(open(&first), [r#"pay {"cents":500}"#]);
    let mut seen = log.take();
    seen.sort();
    assert_eq!(seen, ["hook saw Tool execution was not approved: too much", "paid 5"]);
    // The answers that were given are kept.
    let nobody = payer(&log, model()).await;
    let output = crate::support::allowed(&nobody, &first).await;
    assert!(output.text.ends_with("paid 500"), "{}", output.text);
    let mut seen = log.take();
    seen.sort();
    assert_eq!(seen, ["hook saw Tool execution was not approved: too much", "paid 500"]);
}

#[tokio::test]
async fn u3_an_answer_of_an_answerer_that_does_not_fit_refuses_the_call() {
    let log = Log::default();
    for (answer, problem) in [
        (Answer::value("yes").unwrap(), "the question needs an approval, not a value"),
        (
            Answer::allow_with(json!({ "cents": "five" })).unwrap(),
            "the answer does not fit the question: `cents`: expected an integer, found the string \"five\"",
        ),
    ] {
        let model = script([pays(&[5])]);
        let answerer = move |_: Question| std::future::ready(Some(answer.clone()));
        let agent = Payer::builder().model(model).provide(log.clone()).answerer(answerer);
        let seen = format!("Tool execution was not approved: {problem}");
        assert_eq!(agent.run("go").await.unwrap().text, format!("done: {seen}"));
        assert_eq!(log.take(), [format!("hook saw {seen}")]);
    }
}

#[tokio::test]
async fn u3_an_approver_answers_approvals_in_place_of_the_answerer() {
    let log = Log::default();
    let approver = |_: ApprovalRequest| async { Approval::Allow };
    let answerer = |_: Question| async { panic!("it is not asked") };
    let agent = Payer::builder()
        .model(script([pays(&[5])]))
        .provide(log.clone())
        .approver(approver)
        .answerer(answerer);
    assert_eq!(agent.run("go").await.unwrap().text, "done: paid 5");
}

#[tokio::test]
async fn a7_calls_that_a_hand_written_agent_makes_pause_it() {
    use onionskin::ToolSpec;
    use onionskin::run::AgentRun;

    async fn pay_twice(run: &AgentRun, _: String) -> Result<String, RunError> {
        let calls = tokio::join!(
            run.call_tool("pay", Args::from(r#"{"cents": 1}"#)),
            run.call_tool("look", Args::from(r#"{"at": "it"}"#)),
            run.call_tool("pay", Args::from(r#"{"cents": 2}"#)),
        );
        Ok(format!("{:?}", [calls.0.is_ok(), calls.1.is_ok(), calls.2.is_ok()]))
    }

    agent! { ByHand { instruction: "Pay.", run: pay_twice } }

    let log = Log::default();
    let agent = ByHand::builder().model(ScriptedModel::new()).provide(log.clone());
    let agent = agent
        .tool(ToolSpec::from(pay::default()))
        .tool(ToolSpec::from(look::default()))
        .build()
        .await
        .unwrap();
    let first = paused(agent.run("go").await);
    assert_eq!((open(&first).len(), log.take()), (2, vec!["looked at it".to_owned()]));
    let answers = first
        .questions()
        .iter()
        .fold(agent.resume(&first), |resumed, question| resumed.answer(question.key(), Answer::allow()));
    assert_eq!(answers.run().await.unwrap().text, "[true, true, true]");
    assert_eq!(log.take(), ["paid 1", "paid 2"]);
}

#[tokio::test]
async fn u2_what_is_always_allowed_is_not_asked_about_again_in_the_session() {
    let log = Log::default();
    let turns = || script([pays(&[5]), pays(&[5, 6])]);
    let always = async |which: Always| {
        let agent = payer(&log, turns()).await;
        let first = paused(agent.run("go").await);
        // Another process.
        let agent = payer(&log, turns()).await;
        let answer = Approval::AllowAlways(which);
        agent.resume(&first).answer(first.questions()[0].key(), answer).run().await
    };
    assert_eq!(always(Always::Tool).await.unwrap().text, "done: paid 5\npaid 6");
    assert_eq!(log.take(), ["paid 5", "paid 5", "paid 6"]);

    let other = paused(always(Always::Arguments).await);
    assert_eq!((open(&other), log.take().len()), (vec![r#"pay {"cents":6}"#.to_owned()], 2));
    // In a third process the first call is answered from its record, and what was said about it still holds.
    let agent = payer(&log, turns()).await;
    let output = crate::support::allowed(&agent, &other).await;
    assert_eq!((output.text.as_str(), log.take()), ("done: paid 5\npaid 6", vec!["paid 6".to_owned()]));
}

#[tokio::test]
async fn u2_what_is_always_allowed_ends_with_its_session() {
    let (log, asked) = (Log::default(), Log::default());
    let seen = asked.clone();
    let approver = move |request: ApprovalRequest| {
        seen.push(request.args().text().to_string());
        async { Approval::AllowAlways(Always::Tool) }
    };
    let model = script([pays(&[5]), pays(&[6])]);
    let agent = Payer::builder().model(model).provide(log.clone()).approver(approver).build().await.unwrap();
    agent.run("go").await.unwrap();
    assert_eq!(asked.take(), [r#"{"cents":5}"#]);
    agent.run("go").await.unwrap();
    assert_eq!((asked.take(), log.take().len()), (vec![r#"{"cents":5}"#.to_owned()], 4));
}

#[tokio::test]
async fn u2_what_is_always_allowed_is_not_stored_with_the_session() {
    let log = Log::default();
    let always = |_: ApprovalRequest| async { Approval::AllowAlways(Always::Tool) };
    let agent = payer(&log, script([pays(&[5]), pays(&[6])])).await;
    let session = agent.session();
    agent.request("go").session(&session).approver(always).run().await.unwrap();
    assert_eq!(log.take(), ["paid 5", "paid 6"]);
    let saved = serde_json::to_string(&session.save()).unwrap();
    let agent = payer(&log, script([pays(&[5]), pays(&[6])])).await;
    let restored = agent.session();
    restored.restore(SavedSession::from_json(&saved).unwrap()).unwrap();
    // The script goes on where the conversation is, in the same session and in a restored one.
    let script = script([vec![], vec![], vec![], pays(&[7])]);
    let agent = payer(&log, script).await;
    assert!(agent.request("go").session(&session).run().await.is_ok());
    let asked = paused(agent.request("go").session(&restored).run().await);
    assert_eq!(
        (open(&asked), log.take()),
        (vec![r#"pay {"cents":7}"#.to_owned()], vec!["paid 7".to_owned()])
    );
}
