//! U2, L1: arguments that a person sets pass every guardrail, and keep what the program has set.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::question::Answer;
use onionskin::spec::Transform;
use onionskin::{Args, Provided, ScriptedModel, ScriptedTurn, ToolSpec, agent, guardrail, tool};
use serde_json::{Value, json};

use crate::support::{Log, open, paused};

#[guardrail(input)]
fn tens(args: &mut Args) {
    args["cents"] = (args["cents"].as_u64().unwrap_or_default() / 10 * 10).into();
}

#[guardrail(input)]
fn at_most_500(args: &Args) -> Result<(), &'static str> {
    if args["cents"].as_u64().unwrap_or_default() > 500 { Err("over 500") } else { Ok(()) }
}

#[guardrail(input)]
fn few(args: &Args) -> Result<(), &'static str> {
    if args.get("amount").and_then(Value::as_u64).is_some_and(|cents| cents > 500) {
        Err("over 500")
    } else {
        Ok(())
    }
}

/// Pays.
#[tool(approval, input_guardrails = [tens, at_most_500])]
fn pay(cents: u64, log: Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents}")
}

/// Pays, once for the same arguments.
#[tool(approval, effect = idempotent, cache, input_guardrails = [tens])]
fn cached(cents: u64, log: Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents}")
}

/// Pays, guarded by the agent.
#[tool(approval)]
fn guarded(cents: u64, log: Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents}")
}

agent! {
    Payer { instruction: "Pay.", function_tools: [pay, cached] }
    Guarded { instruction: "Pay.", function_tools: [guarded], input_guardrails: [tens, at_most_500] }
    Sender { instruction: "Pay.", input_guardrails: [few] }
    Mover { instruction: "Move." }
}

/// Sets these amounts, one after the other, and then allows what it is shown.
fn sets<const N: usize>(amounts: [u64; N], asked: &Log) -> impl onionskin::approval::Approver {
    let (count, asked) = (Arc::new(AtomicUsize::new(0)), asked.clone());
    move |request: ApprovalRequest| {
        asked.push(request.args()["cents"].to_string());
        let set = amounts.get(count.fetch_add(1, Ordering::Relaxed)).copied();
        async move {
            match set {
                Some(cents) => Approval::AllowWith(json!({ "cents": cents }).as_object().unwrap().clone()),
                None => Approval::Allow,
            }
        }
    }
}

fn calls(tool: &str, cents: &[u64]) -> ScriptedModel {
    let calls = cents.iter().map(|cents| ScriptedTurn::call(tool, json!({ "cents": cents })));
    ScriptedModel::turns(calls.chain([ScriptedTurn::say("{last}")]))
}

#[tokio::test]
async fn u2_arguments_of_each_person_pass_the_guardrails_of_the_tool() {
    let (log, asked) = (Log::default(), Log::default());
    // 57 becomes 50, which is asked about; the answer to that is checked too.
    let payer = || Payer::builder().model(calls("pay", &[100])).provide(log.clone());
    let output = payer().approver(sets([57, 9999], &asked)).run("go").await.unwrap();
    assert!(output.text.contains("over 500"), "{}", output.text);
    assert_eq!((log.take(), asked.take()), (vec![], vec!["100".to_owned(), "50".to_owned()]));
    let output = payer().approver(sets([57, 61], &asked)).run("go").await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("paid 60", vec!["paid 60".to_owned()]));
    assert_eq!(asked.take(), ["100", "50", "60"]);
    // Who never agrees with a guardrail is not asked for ever.
    let output = payer().approver(sets([57; 100], &asked)).run("go").await.unwrap();
    assert!(output.text.contains("guardrails change the arguments that a person set"), "{}", output.text);
    assert_eq!(log.take(), Vec::<String>::new());
}

#[tokio::test]
async fn l1_arguments_of_a_person_pass_the_guardrails_of_the_agent() {
    let (log, asked) = (Log::default(), Log::default());
    let payer = || Guarded::builder().model(calls("guarded", &[100])).provide(log.clone());
    let output = payer().approver(sets([9999], &asked)).run("go").await.unwrap();
    assert!(output.text.contains("over 500"), "{}", output.text);
    assert_eq!((log.take(), asked.take()), (vec![], vec!["100".to_owned()]));
    let output = payer().approver(sets([57], &asked)).run("go").await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("paid 50", vec!["paid 50".to_owned()]));
    assert_eq!(asked.take(), ["100", "50"]);
    // By the tool's own names of its parameters they cannot be checked.
    let mut renamed = guarded::spec();
    renamed.transform(Transform::new().name("send").rename("cents", "amount")).unwrap();
    let turns = [ScriptedTurn::call("send", json!({ "amount": 100 })), ScriptedTurn::say("{last}")];
    let send = Sender::builder().model(ScriptedModel::turns(turns)).provide(log.clone()).tool(renamed);
    let output = send.approver(sets([9999], &asked)).run("go").await.unwrap();
    assert!(output.text.contains("`send` did not run: a person set other arguments"), "{}", output.text);
    assert_eq!(log.take(), Vec::<String>::new());
}

#[tokio::test]
async fn h9_a_result_of_arguments_that_a_person_set_is_cached_for_none_that_others_have() {
    let (log, asked) = (Log::default(), Log::default());
    let payer = Payer::builder().model(calls("cached", &[57, 57])).provide(log.clone());
    let output = payer.approver(sets([57, 990], &asked)).run("go").await.unwrap();
    assert_eq!((output.text.as_str(), asked.take().join(" ")), ("paid 50", "57 50 57 50".to_owned()));
    assert_eq!(log.take(), ["paid 990", "paid 50"]);
}

/// Moves.
#[tool(approval, effect = once)]
fn shift(from: String, to: String, #[arg(default = 3)] days: u8) -> String {
    format!("{from} to {to} in {days}")
}

async fn shifted(change: Transform, args: Value, with: Value) -> (String, Result<String, String>) {
    let mut spec: ToolSpec = shift::spec();
    spec.transform(change).unwrap();
    let model = ScriptedModel::turns([ScriptedTurn::call("shift", args), ScriptedTurn::say("{last}")]);
    let mover = Mover::builder().tool(spec).model(model).build().await.unwrap();
    let first = paused(mover.run("go").await);
    let key = first.questions()[0].key();
    let answer = Answer::allow_with(with).unwrap();
    let end = match first.check(key, &answer) {
        Err(problem) => Err(problem.to_string()),
        Ok(()) => Ok(mover.resume(&first).answer(key, answer).run().await.unwrap().text),
    };
    (open(&first).concat(), end)
}

#[tokio::test]
async fn u2_hidden_values_and_changed_defaults_are_those_of_the_program_whatever_a_person_sets() {
    let (shown, end) = shifted(
        Transform::new().hide("days", 9),
        json!({ "from": "a", "to": "b" }),
        json!({ "from": "a", "to": "c" }),
    )
    .await;
    assert_eq!(shown, r#"shift {"from":"a","to":"b","days":9}"#);
    assert_eq!(end.unwrap(), "a to c in 9");
    let hidden = || Transform::new().hide("days", 9).hide("from", "me");
    let (_, end) = shifted(hidden(), json!({ "to": "b" }), json!({ "to": "c" })).await;
    assert_eq!(end.unwrap(), "me to c in 9");
    let as_shown = json!({ "from": "me", "to": "c", "days": 9 });
    assert_eq!(shifted(hidden(), json!({ "to": "b" }), as_shown).await.1.unwrap(), "me to c in 9");
    let other = json!({ "from": "you", "to": "c" });
    assert!(shifted(hidden(), json!({ "to": "b" }), other).await.1.unwrap_err().contains("`from`"));
    let default = Transform::new().default_value("days", 20);
    let (_, end) =
        shifted(default, json!({ "from": "a", "to": "b" }), json!({ "from": "a", "to": "c" })).await;
    assert_eq!(end.unwrap(), "a to c in 20");
}

#[tokio::test]
async fn u2_a_person_sets_arguments_by_the_names_that_are_shown() {
    let swapped = || Transform::new().rename("from", "to").rename("to", "from");
    let given = json!({ "from": "B", "to": "A" });
    let (shown, end) = shifted(swapped(), given.clone(), json!({ "from": "A", "to": "C" })).await;
    assert_eq!(shown, r#"shift {"to":"B","from":"A","days":3}"#);
    assert_eq!(end.unwrap(), "A to C in 3");
    let (_, end) = shifted(
        Transform::new().rename("days", "within"),
        json!({ "from": "a", "to": "b" }),
        json!({ "from": "a", "to": "b", "days": 4 }),
    )
    .await;
    assert_eq!(end.unwrap(), "a to b in 4");
}
