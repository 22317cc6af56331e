//! U2, A7: a person approves a call with other arguments; "always" is for the user who said it; what never ran does not count.

use std::sync::Arc;

use onionskin::approval::{Always, Approval, ApprovalRequest};
use onionskin::event::{CallOutcome, EventKind};
use onionskin::journal::{Journal, JournalError, MemoryJournal, Step, StepRecord, StepWork};
use onionskin::model::{Model, ModelResponse, ToolCall};
use onionskin::question::{Answer, AnswerError};
use onionskin::{
    AgentHandle, Args, ErrorKind, Next, Provided, RunError, ScriptedModel, ScriptedTurn, Secret, ToolResult,
    agent, guardrail, hooks::retry, tool, tool_hook,
};
use serde_json::{Value, json};

use crate::answers::answers;
use crate::support::{Log, open, paused};

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: i64, to: String, log: Provided<Log>) -> String {
    log.push(format!("paid {cents} to {to}"));
    format!("paid {cents}")
}

#[guardrail(input)]
fn whole_euros(args: &mut Args) {
    args["cents"] = (args["cents"].as_i64().unwrap_or_default() / 100 * 100).into();
}

/// Sends money, at the second attempt.
#[tool(approval, effect = idempotent, input_guardrails = [whole_euros])]
fn send(cents: i64, cx: &onionskin::ToolContext, log: Provided<Log>) -> Result<String, String> {
    log.push(format!("sent {cents}"));
    if cx.attempt() < 2 { Err("not yet".to_owned()) } else { Ok(format!("sent {cents}")) }
}

#[tool_hook]
async fn record(args: &mut Args, next: impl Next, log: Provided<Log>) -> ToolResult {
    if args.get("to").is_some_and(|to| to == "herself") {
        args["to"] = "account hunter2-of-ada".into();
    }
    log.push(format!("hook {}", args.text()));
    next.run(args).await
}

agent! {
    Payer { name: "payer", instruction: "Pay.", function_tools: [pay, send], tool_hooks: [record, retry(3) for [send]] }
}

fn script(name: &str, args: Value) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call(name, args), ScriptedTurn::say("{last}")])
}

async fn payer(model: ScriptedModel, log: &Log) -> AgentHandle {
    Payer::builder().model(model).provide(log.clone()).build().await.unwrap()
}

#[tokio::test]
async fn u2_a_person_approves_other_arguments() {
    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let model = || script("pay", json!({ "cents": 500, "to": "Ada" }));
    let agent = async || {
        let agent = Payer::builder().model(model()).provide(log.clone()).journal(Arc::clone(&journal));
        agent.build().await.unwrap()
    };
    let first = paused(agent().await.request("go").run_id("a").run().await);
    let key = first.questions()[0].key();
    // The tool's schema decides, before anything runs.
    for wrong in [
        json!({ "cents": "five", "to": "Ada" }),
        json!({ "cents": 5 }),
        json!({ "cents": 5, "to": "Ada", "x": 1 }),
    ] {
        let answer = Answer::allow_with(&wrong).unwrap();
        assert!(matches!(first.check(key, &answer), Err(AnswerError::Invalid { .. })), "{wrong}");
    }
    log.take();
    let other = Answer::allow_with(json!({ "cents": 5, "to": "Ada" })).unwrap();
    let agent_again = agent().await;
    let mut events = agent_again.resume(&first).answer(key, other).stream();
    let mut changed = Vec::new();
    while let Some(event) = events.next().await {
        if let EventKind::ArgumentsChanged { tool, arguments, .. } = event.kind {
            changed.push(format!("{tool} {arguments}"));
        }
    }
    let output = events.output().await.unwrap();
    assert_eq!(output.text, "paid 5");
    assert_eq!(changed, [r#"pay {"cents":5,"to":"Ada"}"#]);
    assert_eq!(&*output.tool_calls[0].arguments, r#"{"cents":5,"to":"Ada"}"#);
    assert_eq!(log.take(), [r#"hook {"cents":500,"to":"Ada"}"#, "paid 5 to Ada"]);
    // A replay says the same.
    let replay = agent().await.request("go").run_id("a").run().await.unwrap();
    assert_eq!(
        (replay.text, &replay.tool_calls[0].arguments),
        (output.text, &output.tool_calls[0].arguments)
    );
    assert_eq!(log.take(), [r#"hook {"cents":500,"to":"Ada"}"#]);
}

#[tokio::test]
async fn u2_other_arguments_hold_for_each_attempt_and_pass_the_guardrails() {
    let (log, asked) = (Log::default(), Log::default());
    let seen = asked.clone();
    let approver = move |request: ApprovalRequest| {
        seen.push(request.args().text().to_string());
        let is_first = request.args()["cents"] == 990;
        let other = json!({ "cents": 250 }).as_object().unwrap().clone();
        async move { if is_first { Approval::AllowWith(other) } else { Approval::Allow } }
    };
    let agent = Payer::builder()
        .model(script("send", json!({ "cents": 990 })))
        .provide(log.clone())
        .approver(approver);
    let output = agent.run("go").await.unwrap();
    assert_eq!(output.text, "sent 200");
    let sent: Vec<_> = log.take().into_iter().filter(|line| line.starts_with("sent")).collect();
    assert_eq!(sent, ["sent 200", "sent 200"]);
    // The guardrail changed what the person wrote, so the person is asked about that.
    assert_eq!(asked.take(), [r#"{"cents":990}"#, r#"{"cents":200}"#]);
}

/// A masked argument that is left as it was shown keeps its value.
#[tokio::test]
async fn u2_other_arguments_keep_what_is_masked() {
    let log = Log::default();
    let agent = Payer::builder()
        .model(script("pay", json!({ "cents": 500, "to": "herself" })))
        .provide(log.clone())
        .conceal(&Secret::new("hunter2-of-ada".to_owned()))
        .build()
        .await
        .unwrap();
    let first = paused(agent.run("go").await);
    assert_eq!(first.questions()[0].arguments()["to"], "account [secret]");
    let mut args = first.questions()[0].arguments().clone();
    args["cents"] = json!(5);
    log.take();
    let other = Answer::allow_with(args).unwrap();
    agent.resume(&first).answer(first.questions()[0].key(), other).run().await.unwrap();
    assert_eq!(log.take().last().unwrap(), "paid 5 to account hunter2-of-ada");
}

#[tokio::test]
async fn u2_always_is_for_the_user_who_said_it() {
    let log = Log::default();
    let turn =
        || [ScriptedTurn::call("pay", json!({ "cents": 5, "to": "Ada" })), ScriptedTurn::say("{last}")];
    let agent = payer(ScriptedModel::turns([turn(), turn(), turn()].into_iter().flatten()), &log).await;
    let session = agent.session();
    let always = |_: ApprovalRequest| async { Approval::AllowAlways(Always::Tool) };
    agent.request("go").user("ada").session(&session).approver(always).run().await.unwrap();
    // The next user of the session has said nothing.
    let asked = paused(agent.request("go").user("bob").session(&session).run().await);
    assert_eq!(open(&asked), [r#"pay {"cents":5,"to":"Ada"}"#]);
    let output = agent.request("go").user("ada").session(&session).run().await.unwrap();
    assert_eq!(output.text, "paid 5");
}

/// Counts far.
#[tool(approval)]
fn count(from: i128, step: Option<u8>) -> String {
    format!("{from} {step:?}")
}

agent! { Counter { name: "counter", instruction: "Count.", function_tools: [count] } }

/// Writes a number that is longer than a value holds.
fn writes_long() -> impl Model {
    answers(move |request, _| {
        Ok(match request.messages.iter().nth(1) {
            None => ModelResponse::tool_calls([ToolCall::new("a", "count", format!(r#"{{"from":{LONG}}}"#))]),
            Some(_) => ModelResponse::text(
                request.messages.iter().map(|message| message.to_text()).collect::<String>(),
            ),
        })
    })
}

const LONG: &str = "170141183460469231731687303715884105727";

#[tokio::test]
async fn u2_a_long_number_that_is_left_as_it_was_shown_keeps_its_value() {
    let counter = Counter::builder().model(writes_long()).build().await.unwrap();
    let first = paused(counter.run("go").await);
    let mut shown = first.questions()[0].arguments().clone();
    assert_eq!(shown, json!({ "from": LONG }));
    shown["step"] = 7.into();
    let key = first.questions()[0].key();
    let output = counter.resume(&first).answer(key, Answer::allow_with(&shown).unwrap()).run().await.unwrap();
    assert!(output.text.ends_with(&format!("{LONG} Some(7)")), "{}", output.text);
    // What is changed has to fit.
    shown["from"] = "1".repeat(40).into();
    assert!(matches!(
        first.check(key, &Answer::allow_with(&shown).unwrap()),
        Err(AnswerError::Invalid { .. })
    ));
}

/// Books one seat.
#[tool(max_calls = 1, approval = above_two)]
fn book(seats: u8, log: Provided<Log>) -> String {
    log.push(format!("booked {seats}"));
    format!("booked {seats}")
}

fn above_two(args: &Args) -> bool {
    args["seats"].as_u64().is_some_and(|seats| seats > 2)
}

/// Hooks that refuse one call.
#[tool_hook]
fn no_seven(args: &Args) -> Result<(), String> {
    if args["seats"] == 7 { Err("not seven".to_owned()) } else { Ok(()) }
}

agent! { Booker { name: "booker", instruction: "Book.", function_tools: [book], tool_hooks: [no_seven] } }

#[tokio::test]
async fn t4_nobody_is_asked_about_a_call_beyond_max_calls() {
    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let call = |seats: u8| ScriptedTurn::call("book", json!({ "seats": seats }));
    for seen in [&["asked", "booked 3"][..], &[]] {
        let model = ScriptedModel::turns([call(3), call(4), ScriptedTurn::say("{last}")]);
        let asked = log.clone();
        let allow = move |_: ApprovalRequest| {
            asked.push("asked");
            std::future::ready(Approval::Allow)
        };
        let booker = Booker::builder().model(model).provide(log.clone()).approver(allow);
        let booker = booker.journal(Arc::clone(&journal)).build().await.unwrap();
        let output = booker.request("go").run_id("a").run().await.unwrap();
        assert_eq!(
            output.text,
            "Tool execution was not approved: `book` may be called once in one run; it did not run"
        );
        assert_eq!(log.take(), seen);
    }
}

#[tokio::test]
async fn t4_what_never_ran_does_not_count_among_the_calls() {
    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let call = |seats: Value| ScriptedTurn::call("book", json!({ "seats": seats }));
    let run = async || {
        // Wrong arguments, a refusal of a hook, a denied approval; then one call, and one more than is allowed.
        let model = ScriptedModel::turns([
            call(json!("many")),
            call(json!(7)),
            call(json!(5)),
            call(json!(1)),
            call(json!(2)),
            ScriptedTurn::say("done"),
        ]);
        let deny = |_: ApprovalRequest| async { Approval::deny("no") };
        let booker =
            Booker::builder().model(model).provide(log.clone()).approver(deny).journal(Arc::clone(&journal));
        booker.build().await.unwrap().request("go").run_id("a").run().await.unwrap()
    };
    let expected = [
        CallOutcome::Error(ErrorKind::Arguments),
        CallOutcome::Error(ErrorKind::Failed),
        CallOutcome::Error(ErrorKind::Denied),
        CallOutcome::Ok,
        CallOutcome::Error(ErrorKind::Limit),
    ];
    let outcomes = |output: onionskin::RunOutput| {
        output.tool_calls.iter().filter_map(|call| call.outcome).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(run().await), expected);
    assert_eq!(log.take(), ["booked 1"]);
    assert_eq!(outcomes(run().await), expected, "a replay counts the same");
    assert_eq!(log.len(), 0);
}

/// A journal that panics.
struct Panics(&'static str);

impl Journal for Panics {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> futures_util::future::BoxFuture<'a, Result<StepRecord, JournalError>> {
        assert!(!step.id().to_string().contains(self.0), "the disk is gone");
        Box::pin(async move { work().await })
    }
}

#[tokio::test]
async fn o5_a_panic_of_a_journal_is_reported_as_one() {
    for at in ["model", "tool book"] {
        let model = ScriptedModel::turns([
            ScriptedTurn::call("book", json!({ "seats": 1 })),
            ScriptedTurn::say("done"),
        ]);
        let booker = Booker::builder().model(model).provide(Log::default()).journal(Panics(at));
        let end = booker.build().await.unwrap().run("go").await.unwrap_err();
        let RunError::Journal { source, .. } = &end else { panic!("{end}") };
        assert!(source.to_string().contains("it panicked: the disk is gone"), "{source}");
        assert!(source.step().contains(at), "{source}");
    }
}
