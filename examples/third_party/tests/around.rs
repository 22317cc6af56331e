//! Hooks around runs that are written by hand work in programs of others.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::sync::Arc;

use onionskin_core::model::BoxModel;
use onionskin_core::run_hooks::CheckTrigger;
use onionskin_core::{BuildError, RunError, ScriptedModel, ScriptedTurn, agent, run_hook};
use onionskin_third_party::{
    AuditTrail, Bank, Contacts, Counter, Dictated, Discretion, Gist, RateTable, Thrift, clerk,
};

fn bank() -> Bank {
    Bank { cents: 100_000, paid: Vec::new() }
}

/// Knows one person.
struct Knows(&'static str);

impl Contacts for Knows {
    fn account_of(&self, name: &str) -> Option<String> {
        (name == self.0).then(|| "DE01".to_owned())
    }
}

#[tokio::test]
async fn a9_a_run_hook_by_hand_works_on_the_state_and_a_service_of_the_program() {
    let clerk = || clerk(bank(), RateTable::new("USD 108"), AuditTrail::default()).model(Dictated::default());
    let error = clerk().run_hook(Counter::from((2,))).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::NoService { part, .. } if part == "the run hook `Counter`"),
        "{error}"
    );

    let contacts: Arc<dyn Contacts> = Arc::new(Knows("Ada"));
    let handle = clerk().provide_shared(contacts).run_hook(Counter::from((2,))).build().await.unwrap();
    let pay = |to: &str| format!("transfer {{\"to\": \"{to}\", \"cents\": 5}}\n");
    let output = handle.run([pay("Ada"), pay("Bob")].concat()).await.unwrap();
    assert!(output.text.ends_with("\n99990 cents are left; 1 payees are known"), "{}", output.text);

    let error = handle.run(pay("Ada").repeat(3)).await.unwrap_err();
    let RunError::InputCheck { source, .. } = &error else { panic!("{error}") };
    assert_eq!(
        (source.reason(), source.trigger()),
        ("3 lines are more than 2", CheckTrigger::ValidationFailed)
    );
}

#[run_hook(post, crate = onionskin_core)]
fn exclaim(answer: &str) -> String {
    format!("{answer}!")
}

agent! {
    Cashier {
        crate: onionskin_core,
        instruction: "Pay.",
        state: Bank,
        run_hooks: [exclaim, Counter(2)],
    }
}

#[tokio::test]
async fn a9_a_run_hook_by_hand_gets_its_value_from_agent() {
    let contacts: Arc<dyn Contacts> = Arc::new(Knows("Ada"));
    let model = ScriptedModel::turns([ScriptedTurn::say("Done")]);
    let cashier = Cashier::builder().model(model).state(bank()).provide_shared(contacts);
    let text = cashier.run("Pay.").await.unwrap().text;
    assert_eq!(text, "Done!\n100000 cents are left; 0 payees are known");
}

#[tokio::test]
async fn a9_a_turn_hook_by_hand_answers_changes_results_and_chooses_tools() {
    let thrift = Thrift::new(1);
    let clerk = clerk(bank(), RateTable::new("USD 108"), AuditTrail::default()).model(Dictated::default());
    let handle = clerk.turn_hook(thrift.clone()).build().await.unwrap();
    let lines = "rates__eur {}\nrates__usd {\"cent\": 5}\ntransfer {\"to\": \"Ada\", \"cents\": 5}";
    let output = handle.run(lines).await.unwrap();
    let texts: Vec<_> = output.text.lines().collect();
    assert_eq!(texts[0], "euros are euros");
    assert!(output.text.contains("(rates__usd failed in turn 2)"), "{}", output.text);
    assert!(output.text.contains("Unknown tool name: 'transfer'"), "{}", output.text);
    assert_eq!(thrift.spent().0, output.turns);
}

#[tokio::test]
async fn a9_a_turn_hook_by_hand_asks_another_model_in_its_run() {
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("Done.")]));
    let small = Arc::new(ScriptedModel::turns([ScriptedTurn::say("Money for Ada.")]));
    let cashier = Cashier::builder().model(Arc::clone(&model)).state(bank());
    let contacts: Arc<dyn Contacts> = Arc::new(Knows("Ada"));
    let gist = Gist::new(BoxModel::new(Arc::clone(&small)));
    let cashier = cashier.provide_shared(contacts).turn_hook(gist).build().await.unwrap();
    let output = cashier.run("Send 5 cents to Ada.").await.unwrap();
    let (asked, of_small) = (model.requests(), small.requests());
    assert!(asked[0].system.as_deref().unwrap().starts_with("Money for Ada.\n\n"), "{asked:?}");
    // The question is the agent's, and its tokens are the run's.
    assert_eq!((&*of_small[0].agent, of_small.len()), (&*asked[0].agent, 1));
    assert_eq!(output.turns, 1);
}

#[tokio::test]
async fn a10_a_message_hook_by_hand_hides_drops_and_shortens() {
    let discretion = Discretion::default();
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("{input} is open.")]));
    let cashier = Cashier::builder().model(Arc::clone(&model)).state(bank());
    let contacts: Arc<dyn Contacts> = Arc::new(Knows("Ada"));
    let cashier = cashier.provide_shared(contacts).message_hook(discretion.clone()).build().await.unwrap();
    let session = cashier.session();
    for _ in 0..2 {
        let output = cashier.request("Account 12345678").session(&session).run().await.unwrap();
        assert!(output.text.starts_with("Account [account] is open."), "{}", output.text);
    }
    assert_eq!(discretion.hidden(), 2);
    assert!(model.requests().iter().all(|request| request.messages.len() == 1));
    let error = cashier.run("...").await.unwrap_err();
    assert!(matches!(error, RunError::MessageDropped { .. }), "{error}");
}
