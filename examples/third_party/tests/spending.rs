//! A hook by hand that requires approval, records what it counts and brings a tool, in programs of others.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::sync::Arc;

use onionskin_core::journal::MemoryJournal;
use onionskin_core::made::ByDefault;
use onionskin_core::question::{Answer, Paused};
use onionskin_core::{
    AgentHandle, Args, BuildError, Hook, Next, RunError, RunOutput, ScriptedModel, ScriptedTurn, ToolContext,
    ToolResult, ToolSpec, agent,
};
use onionskin_third_party::{Bank, Budget, Spent, Transfer};
use serde_json::json;

agent! {
    Cashier {
        crate: onionskin_core,
        instruction: "Pay.",
        state: Bank,
        function_tools: [Transfer],
        tool_hooks: [Budget(1_000)],
    }
}

async fn cashier(spent: &Spent, journal: Option<&Arc<MemoryJournal>>) -> AgentHandle {
    let pay = |cents: u64| ScriptedTurn::call("transfer", json!({ "to": "Ada", "cents": cents }));
    let turns = [pay(600), pay(700), ScriptedTurn::call("spent", json!({})), ScriptedTurn::say("{last}")];
    let bank = Bank { cents: 100_000, paid: Vec::new() };
    let cashier = Cashier::builder().model(ScriptedModel::turns(turns)).state(bank).provide(spent.clone());
    let cashier = match journal {
        Some(journal) => cashier.journal(Arc::clone(journal)),
        None => cashier,
    };
    cashier.build().await.unwrap()
}

fn paused(result: Result<RunOutput, RunError>) -> Paused {
    match result {
        Err(RunError::Paused(paused)) => paused,
        other => panic!("it does not pause: {other:?}"),
    }
}

#[tokio::test]
async fn h9_a_hook_by_hand_requires_approval_and_brings_a_tool() {
    let spent = Spent::default();
    let cashier = cashier(&spent, None).await;
    let paused = paused(cashier.request("Go.").user("ada").run().await);
    let question = &paused.questions()[0];
    assert_eq!(question.text(), Some("1300 cents are more than 1000"));
    let output = cashier.resume(&paused).answer(question.key(), Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), spent.by("ada"), spent.by("bob")), ("1300 cents", 1_300, 0));
}

#[tokio::test]
async fn h9_two_payments_at_the_same_time_do_not_pass_a_limit_together() {
    /// Lets the other calls of the turn come first.
    #[derive(Default)]
    struct Slow;

    impl Hook for Slow {
        type Made = ByDefault;

        async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
            tokio::task::yield_now().await;
            next.run(args).await
        }
    }

    agent! {
        Hasty {
            crate: onionskin_core,
            instruction: "Pay.",
            state: Bank,
            function_tools: [Transfer],
            tool_hooks: [Budget(1_000), Slow],
        }
    }

    let pay = |cents: u64| ("transfer", json!({ "to": "Ada", "cents": cents }));
    let ((first, six), (second, seven)) = (pay(600), pay(700));
    let model = ScriptedModel::turns([
        ScriptedTurn::call(first, six).and_call(second, seven),
        ScriptedTurn::say("Done."),
    ]);
    let (spent, bank) = (Spent::default(), Bank { cents: 100_000, paid: Vec::new() });
    let hasty = Hasty::builder().model(model).state(bank).provide(spent.clone()).build().await.unwrap();
    let paused = paused(hasty.request("Go.").user("ada").run().await);
    assert_eq!((paused.questions().len(), spent.by("ada")), (1, 600));
    let question = &paused.questions()[0];
    assert_eq!(question.text(), Some("1300 cents are more than 1000"));
    hasty.resume(&paused).answer(question.key(), Answer::deny("too much")).run().await.unwrap();
    assert_eq!(spent.by("ada"), 600);
    // What was refused is not reserved any more.
    let again = cashier(&spent, None).await;
    let question =
        self::paused(again.request("Go.").user("ada").run().await).questions()[0].text().map(str::to_owned);
    assert_eq!(question.as_deref(), Some("1200 cents are more than 1000"));
}

#[tokio::test]
async fn o5_what_a_hook_recorded_is_not_made_again_in_a_replay() {
    let (spent, journal) = (Spent::default(), Arc::new(MemoryJournal::default()));
    let first = cashier(&spent, Some(&journal)).await.request("Go.").user("ada").run_id("order-7");
    let paused = paused(first.run().await);
    let key = paused.questions()[0].key();
    let output = cashier(&spent, Some(&journal))
        .await
        .resume(&paused)
        .answer(key, Answer::allow())
        .run()
        .await
        .unwrap();
    assert_eq!((output.text.as_str(), spent.by("ada")), ("1300 cents", 1_300));
    let again = cashier(&spent, Some(&journal)).await.request("Go.").user("ada").run_id("order-7");
    assert_eq!((again.run().await.unwrap().text.as_str(), spent.by("ada")), ("1300 cents", 1_300));
    assert!(journal.steps("order-7").iter().any(|step| step.contains("value transfer.third_party.spent.1")));
}

#[tokio::test]
async fn h9_a_tool_of_the_name_of_a_brought_one_does_not_build() {
    let other = ToolSpec::from_fn("spent", "Tells.", |(): (), _| async { Ok("nothing") });
    let cashier = Cashier::builder().model(ScriptedModel::new()).state(Bank::default()).tool(other);
    let error = cashier.provide(Spent::default()).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::HookTool { hook, tool, .. } if hook == "Budget" && tool == "spent"),
        "{error}"
    );
}
