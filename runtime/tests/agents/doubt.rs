//! O5: what may happen once only does not happen again where an earlier run left it in doubt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use onionskin::approval::{Approval, ApprovalRequest, Approver, Resolution};
use onionskin::event::CallOutcome;
use onionskin::hooks::{log, retry};
use onionskin::journal::MemoryJournal;
use onionskin::run::IdempotencyKey;
use onionskin::{
    AgentHandle, AgentTool, Args, Effect, ErrorKind, Exit, Inject, Next, RunOutput, ScriptedModel,
    ScriptedTurn, State, Tool, ToolContext, ToolDefinition, ToolResult, ToolSpec, agent, tool, tool_hook,
};
use serde_json::json;
use tokio::time::timeout;

/// What was paid for, by its idempotency keys, and whether the bank answers.
#[derive(Clone, Default)]
struct Bank {
    keys: Arc<std::sync::Mutex<Vec<String>>>,
    answers: Arc<AtomicBool>,
}

impl Bank {
    async fn pay(&self, what: &str, key: &IdempotencyKey) -> String {
        self.keys.lock().unwrap().push(format!("{what} {}", key.as_str()));
        if !self.answers.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        format!("{what} paid")
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.keys.lock().unwrap())
    }
}

/// Pays.
#[tool(effect = once)]
async fn pay(bank: State<Bank>, key: IdempotencyKey) -> String {
    bank.pay("once", &key).await
}

/// Pays what can be paid again.
#[tool(effect = idempotent)]
async fn deposit(bank: State<Bank>, key: IdempotencyKey) -> String {
    bank.pay("again", &key).await
}

/// Pays, if a person says so.
#[tool(effect = once, approval, hooks = [log])]
async fn transfer(bank: State<Bank>, key: IdempotencyKey) -> String {
    bank.pay("transfer", &key).await
}

agent! {
    Clerk { name: "clerk", description: "Pays.", instruction: "Pay.", state: Bank, function_tools: [pay, deposit] }
    Payer {
        name: "payer",
        instruction: "Pay.",
        state: Bank,
        agents: [Clerk],
        function_tools: [pay, deposit, transfer],
        tool_hooks: [retry(3)],
    }
    Head { name: "head", instruction: "Ask." }
}

/// Says yes as soon as it may.
#[derive(Clone, Default)]
struct Person(Arc<AtomicBool>);

impl Approver for Person {
    async fn approve(&self, _: ApprovalRequest) -> Approval {
        if !self.0.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Approval::Allow
    }
}

fn outcomes(output: &RunOutput) -> Vec<(&str, Option<CallOutcome>)> {
    output.tool_calls.iter().map(|call| (&*call.tool, call.outcome)).collect()
}

const DOUBT: Option<CallOutcome> = Some(CallOutcome::Error(ErrorKind::InDoubt));
const DONE: Option<CallOutcome> = Some(CallOutcome::Ok);

/// The end of a run that is cut off while the bank does not answer, and then goes on.
async fn interrupted(agent: &AgentHandle, run_id: &str, bank: &Bank) -> RunOutput {
    let run = || agent.request("go").run_id(run_id).run();
    assert!(timeout(Duration::from_secs(1), run()).await.is_err());
    let mut first = bank.take();
    first.sort();
    assert_eq!(first.len(), 2);

    bank.answers.store(true, Ordering::SeqCst);
    let output = run().await.unwrap();
    assert_eq!(bank.take(), first[..1], "again, under the same key");
    output
}

#[tokio::test(start_paused = true)]
async fn o5_a_call_in_doubt_runs_again_only_if_it_may() {
    let (bank, journal) = (Bank::default(), Arc::new(MemoryJournal::default()));
    let model = ScriptedModel::turns([
        ScriptedTurn::call("pay", json!({})).and_call("deposit", json!({})),
        ScriptedTurn::say("{last}"),
    ]);
    let payer = Payer::builder().state(bank.clone()).journal(Arc::clone(&journal)).model(model);
    let payer = payer.build().await.unwrap();
    let output = interrupted(&payer, "order-7", &bank).await;
    assert_eq!(outcomes(&output), [("pay", DOUBT), ("deposit", DONE)]);
    assert_eq!([0, 1].map(|call| output.tool_calls[call].attempts), [0, 1]);
    let told = output.tool_calls[0].to_text();
    assert!(
        told.starts_with("`pay` may have taken effect already: an earlier run with the id `order-7`"),
        "{told}"
    );

    // It stays so.
    let replay = payer.request("go").run_id("order-7").run().await.unwrap();
    assert_eq!((bank.take(), outcomes(&replay)), (Vec::new(), outcomes(&output)));
    assert_eq!([0, 1].map(|call| replay.tool_calls[call].attempts), [0, 1]);

    // A run of another id is another order.
    payer.request("go").run_id("order-8").run().await.unwrap();
    assert_eq!(bank.take().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn o5_a_child_in_doubt_goes_on_where_it_was() {
    let (bank, journal) = (Bank::default(), Arc::new(MemoryJournal::default()));
    let clerk = || {
        let pays = ScriptedTurn::call("pay", json!({})).and_call("deposit", json!({}));
        [pays, ScriptedTurn::say("paid")]
    };
    let model = ScriptedModel::new()
        .agent(
            "payer",
            [ScriptedTurn::call("agent__clerk", json!({ "input": "pay" })), ScriptedTurn::say("{last}")],
        )
        .agent("clerk", clerk());
    let payer = Payer::builder().state(bank.clone()).journal(Arc::clone(&journal)).model(model);
    let payer = payer.build().await.unwrap();
    let clerk =
        Clerk::builder().state(bank.clone()).model(ScriptedModel::turns(clerk())).build().await.unwrap();
    let model = ScriptedModel::turns([
        ScriptedTurn::call("agent__clerk", json!({ "input": "pay" })),
        ScriptedTurn::say("{last}"),
    ]);
    let head = Head::builder().tool(AgentTool::new(&clerk)).journal(Arc::clone(&journal)).model(model);
    let head = head.build().await.unwrap();
    for handle in [payer, head] {
        bank.answers.store(false, Ordering::SeqCst);
        let output = interrupted(&handle, handle.name(), &bank).await;
        assert_eq!(output.text, "paid");
        let mut outcomes = outcomes(&output);
        outcomes.sort_by_key(|(tool, _)| *tool);
        assert_eq!(outcomes, [("agent__clerk", DONE), ("deposit", DONE), ("pay", DOUBT)]);
    }
}

/// It never began, so there is no doubt.
#[tokio::test(start_paused = true)]
async fn o5_a_call_that_waited_for_approval_runs_on_replay() {
    let mut asks = ToolSpec::from_fn("asks", "Pays.", {
        move |(): (), cx: onionskin::ToolContext| async move {
            cx.emit("paid").unwrap();
            Ok("asked and paid".to_owned())
        }
    });
    asks.approval().options(|options| options.effect = onionskin::Effect::Once);
    for tool in ["transfer", "asks"] {
        let (bank, journal, person) =
            (Bank::default(), Arc::new(MemoryJournal::default()), Person::default());
        bank.answers.store(true, Ordering::SeqCst);
        let model = ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
        let payer = Payer::builder().state(bank.clone()).journal(Arc::clone(&journal)).model(model);
        let payer = payer.tool(asks.clone()).approver(person.clone()).build().await.unwrap();
        let run = || payer.request("go").run_id("order-7").run();
        assert!(timeout(Duration::from_secs(1), run()).await.is_err());
        person.0.store(true, Ordering::SeqCst);
        let output = run().await.unwrap();
        assert_eq!(outcomes(&output), [(tool, DONE)], "{}", output.text);
        let again = run().await.unwrap();
        assert_eq!((again.text, bank.take().len()), (output.text, usize::from(tool == "transfer")));
        assert_eq!(again.tool_calls[0].attempts, 1, "a replay counts what it answers");
    }
}

/// Once it was begun, its own hook does not begin it anew.
#[tokio::test(start_paused = true)]
async fn o5_a_layered_tool_in_doubt_does_not_run_again() {
    let (bank, journal, person) = (Bank::default(), Arc::new(MemoryJournal::default()), Person::default());
    person.0.store(true, Ordering::SeqCst);
    let model =
        ScriptedModel::turns([ScriptedTurn::call("transfer", json!({})), ScriptedTurn::say("{last}")]);
    let payer = Payer::builder().state(bank.clone()).journal(Arc::clone(&journal)).model(model);
    let payer = payer.approver(person).build().await.unwrap();
    let run = || payer.request("go").run_id("order-7").run();
    assert!(timeout(Duration::from_secs(1), run()).await.is_err());
    assert_eq!(bank.take().len(), 1);
    bank.answers.store(true, Ordering::SeqCst);
    let output = run().await.unwrap();
    assert_eq!((bank.take().len(), outcomes(&output)), (0, vec![("transfer", DOUBT)]));
}

/// Knows what became of a payment.
struct Clerks(Arc<std::sync::Mutex<Vec<String>>>, fn() -> Resolution);

impl Approver for Clerks {
    async fn approve(&self, _: ApprovalRequest) -> Approval {
        Approval::Allow
    }

    async fn resolve(&self, call: ApprovalRequest) -> Resolution {
        assert!(call.reason().unwrap().contains("may have taken effect already"), "{call:?}");
        self.0.lock().unwrap().push(format!(
            "{} {} {}",
            call.tool_name(),
            call.idempotency_key(),
            call.args().text()
        ));
        (self.1)()
    }
}

#[tokio::test(start_paused = true)]
async fn o5_a_person_says_what_became_of_a_call_in_doubt() {
    type Says = fn() -> Resolution;
    let resolutions: [(Says, _, usize, &str); 4] = [
        (|| Resolution::Unknown, DOUBT, 0, "`transfer` may have taken effect already"),
        (|| Resolution::RunAgain, DONE, 1, "transfer paid"),
        (|| Resolution::took_effect("paid by hand"), DONE, 0, "paid by hand"),
        (|| panic!("asleep"), DOUBT, 0, "`transfer` may have taken effect already"),
    ];
    for (resolution, outcome, runs, text) in resolutions {
        let (bank, journal, asked) = (Bank::default(), Arc::new(MemoryJournal::default()), Arc::default());
        let run = || {
            let model = ScriptedModel::turns([
                ScriptedTurn::call("transfer", json!({})),
                ScriptedTurn::say("{last}"),
            ]);
            let payer = Payer::builder().state(bank.clone()).journal(Arc::clone(&journal)).model(model);
            let payer = payer.approver(Clerks(Arc::clone(&asked), resolution));
            async { payer.build().await.unwrap().request("go").run_id("order-7").run().await.unwrap() }
        };
        assert!(timeout(Duration::from_secs(1), run()).await.is_err());
        let begun = bank.take();
        assert_eq!((begun.len(), asked.lock().unwrap().len()), (1, 0));

        bank.answers.store(true, Ordering::SeqCst);
        let output = run().await;
        assert_eq!((bank.take().len(), outcomes(&output)), (runs, vec![("transfer", outcome)]));
        assert!(output.text.starts_with(text), "{}", output.text);
        assert_eq!(output.tool_calls[0].attempts as usize, runs);

        // The answer is a part of the record.
        let again = run().await;
        assert_eq!((again.text, bank.take().len()), (output.text, 0));
        assert_eq!(*asked.lock().unwrap(), [format!("{} {{}}", begun[0])]);
    }
}

#[tool_hook]
async fn insists(args: &mut Args, next: impl Next) -> ToolResult {
    match next.run(args).await {
        Err(Exit::Tool(_)) => next.run(args).await,
        end => end,
    }
}

/// Pays once, however often it is asked.
#[tool(effect = once, hooks = [insists])]
async fn pay_insisted(bank: State<Bank>, key: IdempotencyKey) -> String {
    bank.pay("insisted", &key).await
}

agent! {
    Insistent {
        name: "insistent",
        instruction: "Pay.",
        state: Bank,
        function_tools: [pay, pay_insisted],
        tool_hooks: [insists],
    }
}

#[tokio::test(start_paused = true)]
async fn o5_no_hook_repeats_a_call_in_doubt() {
    for tool in ["pay", "pay_insisted"] {
        let (bank, journal) = (Bank::default(), Arc::new(MemoryJournal::default()));
        let model = ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
        let payer = Insistent::builder().state(bank.clone()).journal(Arc::clone(&journal)).model(model);
        let payer = payer.build().await.unwrap();
        let run = || payer.request("go").run_id("order-7").run();
        assert!(timeout(Duration::from_secs(1), run()).await.is_err());
        assert_eq!(bank.take().len(), 1);
        bank.answers.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            let output = run().await.unwrap();
            assert_eq!((bank.take().len(), outcomes(&output)), (0, vec![(tool, DOUBT)]), "{}", output.text);
        }
    }
}

/// Pays an amount.
#[tool(effect = once)]
async fn pay_amount(amount: u32, bank: State<Bank>, key: IdempotencyKey) -> String {
    bank.pay(&amount.to_string(), &key).await
}

/// As [`pay_amount`], by hand.
#[derive(Clone, Copy, Default)]
struct PayByHand;

fn takes_amount(name: &str) -> ToolDefinition {
    let schema = json!({
        "type": "object",
        "properties": { "amount": { "type": "integer" } },
        "required": ["amount"],
        "additionalProperties": false,
    });
    let mut definition = ToolDefinition::new(name, "Pays.").with_input_schema(schema);
    definition.effect = Effect::Once;
    definition
}

async fn pays(cx: &ToolContext, amount: i64) -> ToolResult<String> {
    let (bank, key) = (State::<Bank>::inject(cx)?, IdempotencyKey::inject(cx)?);
    Ok(bank.pay(&amount.to_string(), &key).await)
}

impl Tool for PayByHand {
    const NAME: &'static str = "pay_by_hand";
    type State = State<Bank>;

    fn definition(&self) -> &ToolDefinition {
        static DEFINITION: LazyLock<ToolDefinition> = LazyLock::new(|| takes_amount(PayByHand::NAME));
        &DEFINITION
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(pays(cx, args["amount"].as_i64().unwrap()).await?.into())
    }
}

/// As [`pay_amount`], a value.
fn pay_value() -> ToolSpec {
    ToolSpec::from_definition(takes_amount("pay_value"), |args: Args, cx: ToolContext| async move {
        pays(&cx, args["amount"].as_i64().unwrap()).await
    })
}

/// Gives an amount to calls whose arguments were refused.
#[tool_hook]
async fn gives_amount(args: &mut Args, next: impl Next) -> ToolResult {
    match next.run(args).await {
        Err(Exit::Tool(error)) if error.kind() == ErrorKind::Arguments && args["amount"] == "some" => {
            args["amount"] = json!(3);
            next.run(args).await
        }
        end => end,
    }
}

agent! {
    Cashier {
        name: "cashier",
        instruction: "Pay.",
        state: Bank,
        function_tools: [pay, pay_amount, PayByHand],
        tool_hooks: [gives_amount],
    }
}

const AMOUNTS: [&str; 3] = ["pay_amount", "pay_by_hand", "pay_value"];

async fn cashier(bank: &Bank, turn: ScriptedTurn) -> onionskin::AgentHandle {
    Cashier::builder()
        .state(bank.clone())
        .tool(pay_value())
        .journal(MemoryJournal::default())
        .model(ScriptedModel::turns([turn, ScriptedTurn::say("done")]))
        .build()
        .await
        .unwrap()
}

/// The refusal is recorded as its result, so a run that ends later has no doubt about it.
#[tokio::test(start_paused = true)]
async fn o5_a_call_whose_arguments_were_refused_is_not_in_doubt() {
    let bank = Bank::default();
    let turn = AMOUNTS.into_iter().fold(ScriptedTurn::call("pay", json!({})), |turn, tool| {
        turn.and_call(tool, json!({ "amount": "three" }))
    });
    let cashier = cashier(&bank, turn).await;
    let run = || cashier.request("go").run_id("order-7").run();
    assert!(timeout(Duration::from_secs(1), run()).await.is_err());
    assert_eq!(bank.take().len(), 1, "only `pay` began");
    bank.answers.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let output = run().await.unwrap();
        let refused = Some(CallOutcome::Error(ErrorKind::Arguments));
        let expected: Vec<_> =
            [("pay", DOUBT)].into_iter().chain(AMOUNTS.map(|tool| (tool, refused))).collect();
        assert_eq!((outcomes(&output), bank.take().len()), (expected, 0));
        assert!(output.tool_calls.iter().all(|call| call.attempts == 0));
    }
}

#[tokio::test(start_paused = true)]
async fn o5_refused_arguments_that_a_hook_corrects_run_once_and_are_in_doubt_only_then() {
    for tool in AMOUNTS {
        for answers in [true, false] {
            let bank = Bank::default();
            bank.answers.store(answers, Ordering::SeqCst);
            let cashier = cashier(&bank, ScriptedTurn::call(tool, json!({ "amount": "some" }))).await;
            let run = || cashier.request("go").run_id("order-7").run();
            let first = timeout(Duration::from_secs(1), run()).await;
            assert_eq!((first.is_ok(), bank.take().len()), (answers, 1), "{tool}");
            bank.answers.store(true, Ordering::SeqCst);
            let output = run().await.unwrap();
            let outcome = if answers { DONE } else { DOUBT };
            assert_eq!((outcomes(&output), bank.take().len()), (vec![(tool, outcome)], 0));
        }
    }
}
