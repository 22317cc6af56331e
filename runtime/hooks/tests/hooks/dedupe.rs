//! The hook `dedupe`.

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::hooks::{OutcomeUnknown, concurrency, dedupe, timeout};
use onionskin::journal::{Journal, JournalError, MemoryJournal, Step, StepKind, StepRecord, StepWork};
use onionskin::question::{Answer, AskError};
use onionskin::{
    AgentHandle, Args, BoxFuture, ErrorKind, Hook as _, Next, Provided, RunError, RunOutput, ScriptedModel,
    ScriptedTurn, ToolContext, ToolError, ToolResult, agent, testing, tool, tool_hook,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::dedupe_limits::full_run;

const SECOND: Duration = Duration::from_secs(1);

/// The payments, as the bank knows them.
#[derive(Clone, Default)]
struct Bank {
    payments: Arc<AtomicU32>,
    /// The first payment does not end.
    hangs: Arc<AtomicBool>,
    /// The first call is late at the hooks.
    delays: Arc<AtomicBool>,
}

impl Bank {
    fn payments(&self) -> u32 {
        self.payments.load(Ordering::Relaxed)
    }

    async fn pay(&self) -> u32 {
        let number = self.payments.fetch_add(1, Ordering::Relaxed);
        if self.hangs.swap(false, Ordering::Relaxed) {
            pending::<()>().await;
        }
        tokio::time::sleep(SECOND).await;
        number
    }
}

/// Pays.
#[tool(effect = once)]
async fn pay(cents: u32, bank: Provided<Bank>) -> String {
    format!("payment {} of {cents}", bank.pay().await)
}

/// Pays in time.
#[tool(effect = once, timeout = 5)]
async fn pay_soon(cents: u32, bank: Provided<Bank>) -> String {
    format!("payment {} of {cents}", bank.pay().await)
}

/// Pays, or says why not.
#[tool(effect = once)]
async fn try_to_pay(cents: u32, bank: Provided<Bank>) -> Result<String, String> {
    Err(format!("no payment {} of {cents}", bank.pay().await))
}

/// Pays after an approval.
#[tool(effect = once, approval)]
async fn pay_approved(cents: u32, bank: Provided<Bank>) -> String {
    format!("payment {} of {cents}", bank.pay().await)
}

/// Pays after a question.
#[tool(effect = once, asks)]
async fn pay_whom(cents: u32, cx: &ToolContext, bank: Provided<Bank>) -> Result<String, AskError> {
    let name: String = cx.ask("To whom?").await?;
    Ok(format!("payment {} of {cents} to {name}", bank.pay().await))
}

/// Looks, and finds nothing.
#[tool(effect = pure)]
async fn look(bank: Provided<Bank>) -> Result<String, String> {
    Err(format!("nothing in {}", bank.pay().await))
}

/// The first call of a turn is late.
#[tool_hook]
async fn delayed(ctx: &ToolContext, args: &mut Args, bank: Provided<Bank>, next: impl Next) -> ToolResult {
    if ctx.call_id().ends_with('1') && bank.delays.load(Ordering::Relaxed) {
        tokio::time::sleep(10 * SECOND).await;
    }
    next.run(args).await
}

agent! {
    Payer {
        instruction: "Pay.",
        function_tools: [pay, pay_soon, try_to_pay, pay_approved, pay_whom, look],
        tool_hooks: [delayed, dedupe],
    }
}

/// Turns of calls, and a last word.
fn script(turns: &[&[(&'static str, Value)]]) -> ScriptedModel {
    let turn = |calls: &&[(&'static str, Value)]| {
        let mut calls = calls.iter().cloned();
        let (tool, args) = calls.next().unwrap();
        calls.fold(ScriptedTurn::call(tool, args), |turn, (tool, args)| turn.and_call(tool, args))
    };
    ScriptedModel::turns(turns.iter().map(turn).chain([ScriptedTurn::say("Done.")]))
}

fn five(tool: &'static str) -> (&'static str, Value) {
    (tool, json!({ "cents": 5 }))
}

async fn payer(bank: &Bank, model: ScriptedModel) -> AgentHandle {
    Payer::builder().model(model).provide(bank.clone()).build().await.unwrap()
}

fn results(output: &RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

const UNKNOWN: &str = "was not called again: an equal call of this run did not end with a result";

#[tokio::test(start_paused = true)]
async fn h9_equal_calls_of_a_run_happen_once_also_at_the_same_time() {
    let bank = Bank::default();
    let other = ("pay", json!({ "cents": 6 }));
    let model = script(&[&[five("pay"), five("pay"), other], &[five("pay")]]);
    let payer = payer(&bank, model).await;
    let output = payer.run("Go.").await.unwrap();
    assert_eq!(results(&output), ["payment 0 of 5", "payment 0 of 5", "payment 1 of 6", "payment 0 of 5"]);
    // Another run is another matter.
    assert_eq!(results(&payer.run("Go.").await.unwrap())[0], "payment 2 of 5");
}

#[tokio::test(start_paused = true)]
async fn h9_an_error_of_a_tool_that_may_act_is_the_answer_to_equal_calls_and_one_of_a_pure_tool_is_not() {
    let bank = Bank::default();
    let look = || ("look", json!({}));
    let model = script(&[&[five("try_to_pay"), five("try_to_pay")], &[five("try_to_pay"), look(), look()]]);
    let output = payer(&bank, model).await.run("Go.").await.unwrap();
    let error = "no payment 0 of 5";
    assert_eq!(results(&output), [error, error, error, "nothing in 1", "nothing in 2"]);
}

#[tokio::test(start_paused = true)]
async fn h9_after_an_unknown_outcome_an_equal_call_is_refused() {
    let bank = Bank::default();
    bank.hangs.store(true, Ordering::Relaxed);
    let model = script(&[&[five("pay_soon"), five("pay_soon")], &[five("pay_soon")]]);
    let output = payer(&bank, model).await.run("Go.").await.unwrap();
    let results = results(&output);
    assert!(results[0].contains("5s") || results[0].contains("5 s"), "{results:?}");
    for refused in &results[1..] {
        assert!(refused.starts_with("`pay_soon`") && refused.contains(UNKNOWN), "{refused}");
    }
    assert_eq!(bank.payments(), 1);
}

#[tokio::test(start_paused = true)]
async fn h9_a_cancelled_call_leaves_equal_ones_refused_by_a_typed_error() {
    #[derive(Default)]
    struct Errors(Mutex<Vec<(ErrorKind, Option<OutcomeUnknown>)>>);

    #[tool_hook]
    async fn noted(args: &mut Args, next: impl Next, errors: Provided<Errors>) -> ToolResult {
        let result = next.run(args).await;
        if let Err(onionskin::Exit::Tool(error)) = &result {
            let source = std::error::Error::source(error).and_then(|source| source.downcast_ref().cloned());
            errors.0.lock().unwrap().push((ToolError::kind(error), source));
        }
        result
    }

    agent! {
        Hasty { instruction: "Pay.", function_tools: [pay], tool_hooks: [noted, timeout(5 * SECOND), dedupe] }
    }

    let (bank, errors) = (Bank::default(), Arc::new(Errors::default()));
    bank.hangs.store(true, Ordering::Relaxed);
    let model = script(&[&[five("pay")], &[five("pay")]]);
    let hasty = Hasty::builder().model(model).provide(bank.clone()).provide_shared(Arc::clone(&errors));
    hasty.run("Go.").await.unwrap();
    let errors = errors.0.lock().unwrap();
    assert_eq!(errors[0].0, ErrorKind::Timeout);
    let (kind, Some(source)) = &errors[1] else { panic!("it has a source: {errors:?}") };
    assert_eq!((*kind, source.tool.as_str(), bank.payments()), (ErrorKind::InDoubt, "pay", 1));
}

#[tokio::test(start_paused = true)]
async fn h9_equal_calls_pause_with_one_question_and_happen_once_when_the_run_continues() {
    for (tool, answer, result) in [
        ("pay_approved", Answer::allow(), "payment 0 of 5"),
        ("pay_whom", Answer::value("Ada").unwrap(), "payment 0 of 5 to Ada"),
    ] {
        let bank = Bank::default();
        let model = script(&[&[five(tool), five(tool), five(tool)], &[five(tool)]]);
        let payer = payer(&bank, model).await;
        let Err(RunError::Paused(paused)) = payer.run("Go.").await else { panic!("it pauses") };
        assert_eq!((paused.questions().len(), bank.payments()), (1, 0), "{tool}");
        let key = paused.questions()[0].key();
        let output = payer.resume(&paused).answer(key, answer).run().await.unwrap();
        assert_eq!((results(&output), bank.payments()), (vec![result.to_owned(); 4], 1), "{tool}");
    }
    // A call that was not approved did not run, so the next equal one asks again.
    let bank = Bank::default();
    let payer = payer(&bank, script(&[&[five("pay_approved"), five("pay_approved")]])).await;
    let Err(RunError::Paused(first)) = payer.run("Go.").await else { panic!("it pauses") };
    let request = payer.resume(&first).answer(first.questions()[0].key(), Answer::deny("no"));
    let Err(RunError::Paused(second)) = request.run().await else { panic!("it pauses again") };
    let request = payer.resume(&second).answer(second.questions()[0].key(), Answer::allow());
    let output = request.run().await.unwrap();
    assert_eq!(results(&output), ["Tool execution was not approved: no", "payment 0 of 5"]);
}

/// Records nothing of a tool's call, and hangs there.
#[derive(Default)]
struct Dying {
    inner: MemoryJournal,
    dies: AtomicBool,
}

impl Journal for Dying {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        if step.id().kind() != StepKind::Tool || !self.dies.load(Ordering::Relaxed) {
            return self.inner.step(step, work);
        }
        let work: StepWork<'a> = Box::new(move || {
            Box::pin(async move {
                work().await?;
                pending().await
            })
        });
        self.inner.step(step, work)
    }
}

#[tokio::test(start_paused = true)]
async fn o5_after_a_kill_between_the_payment_and_its_record_no_equal_call_pays() {
    let (bank, journal) = (Bank::default(), Arc::new(Dying::default()));
    let agent = async || {
        let model = script(&[&[five("pay"), five("pay")], &[five("pay")]]);
        let builder = Payer::builder().model(model).provide(bank.clone()).journal(Arc::clone(&journal));
        builder.build().await.unwrap()
    };
    journal.dies.store(true, Ordering::Relaxed);
    let killed = agent().await;
    tokio::time::timeout(100 * SECOND, killed.request("Go.").run_id("order-7").run()).await.unwrap_err();
    journal.dies.store(false, Ordering::Relaxed);
    assert_eq!(bank.payments(), 1);
    let output = agent().await.request("Go.").run_id("order-7").run().await.unwrap();
    let results = results(&output);
    assert!(results[0].starts_with("`pay` may have taken effect already"), "{results:?}");
    assert!(results[1].contains(UNKNOWN) && results[2].contains(UNKNOWN), "{results:?}");
    assert_eq!(bank.payments(), 1);
}

#[tokio::test(start_paused = true)]
async fn o5_a_replay_whose_equal_calls_come_in_another_order_pays_nothing_again() {
    let (bank, journal) = (Bank::default(), Arc::new(MemoryJournal::default()));
    let agent = async || {
        let slow = ("pay", json!({ "cents": 6 }));
        let model = script(&[&[five("pay"), five("pay"), slow]]);
        let builder = Payer::builder().model(model).provide(bank.clone()).journal(Arc::clone(&journal));
        builder.build().await.unwrap()
    };
    // The second call pays, and the process ends before the first one comes.
    bank.delays.store(true, Ordering::Relaxed);
    let killed = agent().await;
    tokio::time::timeout(5 * SECOND, killed.request("Go.").run_id("order-7").run()).await.unwrap_err();
    assert_eq!(bank.payments(), 2);
    bank.delays.store(false, Ordering::Relaxed);
    let output = agent().await.request("Go.").run_id("order-7").run().await.unwrap();
    assert_eq!(results(&output)[..2], ["payment 0 of 5", "payment 0 of 5"]);
    assert_eq!(bank.payments(), 2);
    // The whole run again.
    assert_eq!(
        results(&agent().await.request("Go.").run_id("order-7").run().await.unwrap()),
        results(&output)
    );
    assert_eq!(bank.payments(), 2);
}

#[tokio::test(start_paused = true)]
async fn h9_an_equal_call_that_waits_does_not_count_for_max_parallel() {
    agent! {
        Narrow { instruction: "Pay.", function_tools: [pay_approved], tool_hooks: [dedupe], max_parallel: 1 }
    }
    let bank = Bank::default();
    let model = script(&[&[five("pay_approved"), five("pay_approved")]]);
    let approver = |_: onionskin::approval::ApprovalRequest| async {
        tokio::time::sleep(SECOND).await;
        onionskin::approval::Approval::Allow
    };
    let narrow = Narrow::builder().model(model).provide(bank.clone()).approver(approver);
    let output = tokio::time::timeout(100 * SECOND, narrow.run("Go.")).await.unwrap().unwrap();
    assert_eq!(results(&output), ["payment 0 of 5", "payment 0 of 5"]);
}

#[tokio::test(start_paused = true)]
async fn h9_a_function_says_what_is_equal() {
    let bank = Bank::default();
    let model = script(&[&[five("pay")], &[("pay", json!({ "cents": 6 }))]]);
    let builder = Keyed::builder().model(model).provide(bank.clone());
    let keyed = builder.hook(dedupe::new().keyed_by(|_, _| "the only one".to_owned()));
    assert_eq!(results(&keyed.run("Go.").await.unwrap()), ["payment 0 of 5", "payment 0 of 5"]);
}

agent! { Keyed { instruction: "Pay.", function_tools: [pay] } }

/// Pays from an account.
#[tool(effect = once)]
async fn pay_from(cents: u32, #[arg(default = "main")] account: String, bank: Provided<Bank>) -> String {
    format!("payment {} of {cents} from {account}", bank.pay().await)
}

agent! {
    Speller { instruction: "Pay.", function_tools: [pay_from], tool_hooks: [dedupe for [pay_from]] }
}

#[tokio::test(start_paused = true)]
async fn h9_one_call_that_is_written_in_several_ways_happens_once() {
    let bank = Bank::default();
    let spellings = [
        json!({ "cents": 5 }),
        json!({ "cents": "5" }),
        json!({ "cents": 5.0 }),
        json!({ "account": "main", "cents": 5 }),
        // Another one.
        json!({ "cents": 5, "account": "other" }),
    ];
    let none = ScriptedTurn::default();
    let calls = spellings.into_iter().fold(none, |turn, args| turn.and_call("pay_from", args));
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
    let agent = Speller::builder().model(model).provide(bank.clone()).build().await.unwrap();
    let output = agent.run("Go.").await.unwrap();
    let texts: Vec<_> = output.tool_calls.iter().map(|call| format!("{:?}", call.content)).collect();
    assert_eq!(bank.payments(), 2, "{texts:#?}");
}

/// Pays for something.
#[tool(effect = once)]
async fn pay_for(
    cents: u32,
    order: Value,
    #[arg(default = "main")] account: String,
    bank: Provided<Bank>,
) -> String {
    format!("payment {} of {cents} from {account} for {order}", bank.pay().await)
}

agent! {
    Orderer { instruction: "Pay.", function_tools: [pay_for], tool_hooks: [dedupe for [pay_for]] }
}

#[tokio::test(start_paused = true)]
async fn h9_a_long_number_or_a_text_like_one_does_not_hide_that_calls_are_equal() {
    for order in
        ["1234567890123456789", "\"12e45678\"", "123456789012345678901234567890", "0.12345678901234567890"]
    {
        let bank = Bank::default();
        let other = order.replace('2', "3");
        let calls = [
            format!(r#"{{"cents": 5, "order": {order}}}"#),
            format!(r#"{{"order": {order}, "cents": "5", "account": "main"}}"#),
            format!(r#"{{"cents": 5.0, "order": {order},}}"#),
            // Another one.
            format!(r#"{{"cents": 5, "order": {other}}}"#),
        ];
        let call = |turn: ScriptedTurn, args| turn.and_call("pay_for", Value::from(args));
        let calls = calls.into_iter().fold(ScriptedTurn::default(), call);
        let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
        let output = Orderer::builder().model(model).provide(bank.clone()).run("Go.").await.unwrap();
        assert_eq!(bank.payments(), 2, "{:#?}", results(&output));
    }
}

#[tokio::test]
async fn h9_long_numbers_of_arguments_that_have_to_be_repaired_differ() {
    let (hook, cx) = (dedupe::new(), testing::context("repeat").build());
    for (number, written) in [
        (1, r#"{"id": 12345678901234567890123,}"#),
        (2, r#"{"id": 12345678901234567890124,}"#),
        // One value twice.
        (3, r#"{"ids": [12345678901234567890123, 12345678901234567890124]}"#),
        (4, r#"{"ids": [12345678901234567890124, 12345678901234567890123]}"#),
    ] {
        let mut args = Args::from(written);
        let answer = hook.call(&cx, &mut args, testing::next(|_| Ok(number.to_string().into()))).await;
        assert_eq!(answer.unwrap().to_text(), number.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn o5_a_replay_refuses_the_calls_that_a_full_dedupe_refused_in_the_run() {
    let (bank, journal) = (Bank::default(), Arc::new(MemoryJournal::default()));
    let hook = dedupe::new();
    let run = async || {
        let model = script(&[&[five("pay")]]);
        let keyed = Keyed::builder().model(model).provide(bank.clone()).journal(Arc::clone(&journal));
        let keyed = keyed.hook(hook.clone()).build().await.unwrap();
        results(&keyed.request("Go.").run_id("order-7").run().await.unwrap())
    };
    let mut full = Vec::new();
    for _ in 0..8 {
        full.push(full_run(&hook).await);
    }
    let first = run().await;
    assert!(first[0].starts_with("`pay` was not called"), "{first:?}");
    for cx in full {
        cx.run().cancellation().cancel();
    }
    assert_eq!((run().await, bank.payments()), (first, 0));
}

#[tokio::test(start_paused = true)]
async fn o5_a_call_that_was_dropped_before_its_tool_started_leaves_its_place_also_in_a_replay() {
    /// The first call does not come to its tool.
    #[tool_hook]
    async fn late(args: &mut Args, bank: Provided<Bank>, next: impl Next) -> ToolResult {
        if bank.delays.swap(false, Ordering::Relaxed) {
            pending::<()>().await;
        }
        next.run(args).await
    }

    agent! {
        Hasty { instruction: "Pay.", function_tools: [pay], tool_hooks: [timeout(5 * SECOND), dedupe, late] }
    }

    let (bank, journal) = (Bank::default(), Arc::new(MemoryJournal::default()));
    let run = async |with_journal: bool| {
        let model = script(&[&[five("pay")], &[five("pay")]]);
        let mut hasty = Hasty::builder().model(model).provide(bank.clone());
        if with_journal {
            hasty = hasty.journal(Arc::clone(&journal));
        }
        results(&hasty.build().await.unwrap().request("Go.").run_id("order-7").run().await.unwrap())
    };
    let mut first = Vec::new();
    for (with_journal, payment) in [(false, "payment 0 of 5"), (true, "payment 1 of 5")] {
        bank.delays.store(true, Ordering::Relaxed);
        first = run(with_journal).await;
        assert!(first[0].contains("5s") && first[1] == payment, "{first:?}");
    }
    // The first call could come to its tool now, and must not pay.
    assert_eq!((run(true).await, bank.payments()), (first, 2));
}

#[tokio::test(start_paused = true)]
async fn o5_a_call_of_a_replay_that_waits_for_an_equal_one_lends_it_its_slot() {
    /// The first call of a turn is late.
    #[tool_hook]
    async fn delayed_outside(
        ctx: &ToolContext,
        args: &mut Args,
        bank: Provided<Bank>,
        next: impl Next,
    ) -> ToolResult {
        if ctx.call_id().ends_with('1') && bank.delays.load(Ordering::Relaxed) {
            tokio::time::sleep(10 * SECOND).await;
        }
        next.run(args).await
    }

    agent! {
        Narrow {
            instruction: "Pay.",
            function_tools: [pay],
            tool_hooks: [delayed_outside, concurrency(1), dedupe],
        }
    }

    let (bank, journal) = (Bank::default(), Arc::new(MemoryJournal::default()));
    let run = async || {
        let model = script(&[&[five("pay"), five("pay")]]);
        let narrow = Narrow::builder().model(model).provide(bank.clone()).journal(Arc::clone(&journal));
        results(&narrow.build().await.unwrap().request("Go.").run_id("order-7").run().await.unwrap())
    };
    bank.delays.store(true, Ordering::Relaxed);
    let first = run().await;
    // The first call comes first now, and the second one has the record.
    bank.delays.store(false, Ordering::Relaxed);
    let start = Instant::now();
    assert_eq!((run().await, bank.payments(), start.elapsed()), (first, 1, Duration::ZERO));
}
