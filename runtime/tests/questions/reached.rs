//! A question shows the arguments that have reached what asks, and its answer counts for them only.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use onionskin::guardrails::InputGuardrail;
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, Question, QuestionKind};
use onionskin::{
    Args, Exit, Next, Provided, ScriptedModel, ScriptedTurn, ToolContext, ToolError, ToolResult, agent, made,
    tool, tool_hook,
};
use serde_json::{Value, json};

use crate::support::{Log, open, paused};

/// What a hook makes of the amount.
#[derive(Default)]
struct Amount(AtomicU32);

#[tool_hook]
async fn sets_amount(args: &mut Args, next: impl Next, amount: Provided<Amount>) -> ToolResult {
    args["cents"] = amount.0.load(Ordering::Relaxed).into();
    next.run(args).await
}

#[tool_hook]
async fn confirms(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    if ctx.ask::<bool>("Go on?").await? { next.run(args).await } else { Err("no".into()) }
}

#[tool_hook]
async fn asks_after(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let result = next.run(args).await;
    ctx.ask::<bool>("Keep it?").await?;
    result
}

/// Pays two amounts at once.
#[tool_hook]
async fn pays_two(args: &mut Args, next: impl Next) -> ToolResult {
    let with = |cents: u32| {
        let mut args = args.clone();
        args["cents"] = cents.into();
        next.fork(args)
    };
    let (one, two) = tokio::join!(with(1), with(2));
    one.and(two)
}

#[derive(Clone, Default)]
struct AsksToo;

impl InputGuardrail for AsksToo {
    type Made = made::ByDefault;

    async fn check(&self, cx: &ToolContext, _: &mut Args) -> ToolResult<()> {
        let asked = cx.ask::<bool>("Is it safe?").await;
        asked.map(|_| ()).map_err(|error| Exit::from(ToolError::new(error.to_string())))
    }
}

/// Pays.
#[tool]
fn pay(cents: u32, log: Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents}")
}

/// Pays, with its own hooks and a guardrail.
#[tool(hooks = [sets_amount, confirms], input_guardrails = [AsksToo])]
fn pay_safely(cents: u32) -> String {
    format!("paid {cents}")
}

/// Pays if a person allows it.
#[tool(approval)]
fn pay_allowed(cents: u32) -> String {
    format!("paid {cents}")
}

/// Counts.
#[tool(approval)]
fn count(number: u128) -> String {
    number.to_string()
}

agent! {
    Payer { instruction: "Pay.", function_tools: [pay, count], tool_hooks: [sets_amount for [pay], confirms for [pay]] }
    Safe { instruction: "Pay.", function_tools: [pay_safely] }
    Twice { instruction: "Pay.", function_tools: [pay], tool_hooks: [pays_two, confirms] }
    After { instruction: "Pay.", function_tools: [pay, pay_allowed], tool_hooks: [asks_after, sets_amount] }
    Counts { instruction: "Count.", function_tools: [count], tool_hooks: [confirms] }
}

fn script(tool: &str, args: Value) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call(tool, args), ScriptedTurn::say("{last}")])
}

fn yes() -> Answer {
    Answer::value(true).unwrap()
}

/// The questions that were shown, with what answers them.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<String>>>);

impl Shown {
    fn answer(&self, question: &Question) -> Answer {
        let shown = format!("{} {}", question.text().unwrap_or("Allow it?"), question.arguments());
        self.0.lock().unwrap().push(shown);
        if matches!(question.kind(), QuestionKind::Approval) { Answer::allow() } else { yes() }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[tokio::test]
async fn u2_an_answer_to_a_hook_counts_for_the_arguments_that_reached_the_hook() {
    let log = Log::default();
    let journal = Arc::new(MemoryJournal::default());
    let payer = async |cents: u32| {
        let payer = Payer::builder().model(script("pay", json!({ "cents": 5 }))).provide(log.clone());
        payer.provide(Amount(cents.into())).journal(Arc::clone(&journal)).build().await.unwrap()
    };
    let first = paused(payer(1_000).await.run("go").await);
    assert_eq!(open(&first), [r#"pay {"cents":1000}"#]);
    // The hook outside sets another amount since the person saw the question.
    let dear = payer(2_000).await;
    let again = paused(dear.resume(&first).answer(first.questions()[0].key(), yes()).run().await);
    assert_eq!((open(&again), log.take().len()), (vec![r#"pay {"cents":2000}"#.to_owned()], 0));
    let paid = dear.resume(&again).answer(again.questions()[0].key(), yes()).run().await.unwrap();
    assert_eq!((paid.text.as_str(), log.take()), ("paid 2000", vec!["paid 2000".to_owned()]));
}

#[tokio::test]
async fn u2_hooks_and_guardrails_of_a_tool_show_what_reached_them() {
    let shown = Shown::default();
    let answerer = shown.clone();
    let safe = Safe::builder().model(script("pay_safely", json!({ "cents": 5 }))).provide(Amount(7.into()));
    let answered = safe.answerer(move |question: Question| {
        let answer = answerer.answer(&question);
        async move { Some(answer) }
    });
    assert_eq!(answered.run("go").await.unwrap().text, "paid 7");
    assert_eq!(shown.take(), [r#"Go on? {"cents":7}"#, r#"Is it safe? {"cents":7}"#]);
}

#[tokio::test]
async fn u2_concurrent_parts_of_a_call_show_their_own_arguments() {
    let (shown, log) = (Shown::default(), Log::default());
    let answerer = shown.clone();
    let twice = Twice::builder().model(script("pay", json!({ "cents": 5 }))).provide(log.clone());
    let answered = twice.answerer(move |question: Question| {
        let answer = answerer.answer(&question);
        async move {
            tokio::task::yield_now().await;
            Some(answer)
        }
    });
    answered.run("go").await.unwrap();
    let mut questions = shown.take();
    questions.sort();
    assert_eq!(questions, [r#"Go on? {"cents":1}"#, r#"Go on? {"cents":2}"#]);
    assert_eq!(log.len(), 2);
}

#[tokio::test]
async fn u2_a_hook_that_asks_after_the_tool_shows_what_was_passed_on_last_for_each_tool() {
    for tool in ["pay", "pay_allowed"] {
        let shown = Shown::default();
        let answerer = shown.clone();
        let after = After::builder().model(script(tool, json!({ "cents": 5 }))).provide(Log::default());
        let answered = after.provide(Amount(9.into())).answerer(move |question: Question| {
            let answer = answerer.answer(&question);
            async move { Some(answer) }
        });
        assert_eq!(answered.run("go").await.unwrap().text, "paid 9");
        assert_eq!(shown.take().last().map(String::as_str), Some(r#"Keep it? {"cents":9}"#), "{tool}");
    }
}

#[tokio::test]
async fn u2_a_question_shows_each_digit_of_a_whole_number() {
    let shown = Shown::default();
    let answerer = shown.clone();
    let number = u128::MAX.to_string();
    let call = Value::from(format!("{{\"number\": {number}}}"));
    let answered = Counts::builder().model(script("count", call)).answerer(move |question: Question| {
        let answer = answerer.answer(&question);
        async move { Some(answer) }
    });
    assert_eq!(answered.run("go").await.unwrap().text, number);
    let digits = json!({ "number": number });
    assert_eq!(shown.take(), [format!("Go on? {digits}"), format!("Allow it? {digits}")]);
}
