//! A child that waits for a person, whose call has one of the few places of its parent (`max_parallel`).

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::Args;
use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::{Next, RunOutput, ScriptedModel, ScriptedTurn, State, ToolResult, agent, tool, tool_hook};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::timeout;

/// What was done, and how many did it at once at most.
#[derive(Clone, Default)]
struct Desk(Arc<Shared>);

#[derive(Default)]
struct Shared {
    done: Mutex<Vec<String>>,
    at_once: Mutex<(u32, u32)>,
    noted: Notify,
}

impl Desk {
    async fn work(&self, what: &str) {
        {
            let mut at_once = self.0.at_once.lock().unwrap();
            at_once.0 += 1;
            at_once.1 = at_once.1.max(at_once.0);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        self.0.at_once.lock().unwrap().0 -= 1;
        self.0.done.lock().unwrap().push(what.to_owned());
        self.0.noted.notify_waiters();
    }

    fn done(&self) -> Vec<String> {
        self.0.done.lock().unwrap().clone()
    }

    fn most(&self) -> u32 {
        self.0.at_once.lock().unwrap().1
    }

    /// A person who answers when this many notes were taken.
    fn person(
        &self,
        notes: usize,
    ) -> impl Fn(ApprovalRequest) -> std::pin::Pin<Box<dyn Future<Output = Approval> + Send>> + use<> {
        let desk = self.clone();
        move |_| {
            let desk = desk.clone();
            Box::pin(async move {
                loop {
                    let next = desk.0.noted.notified();
                    if desk.done().iter().filter(|what| what.starts_with("note")).count() >= notes {
                        return Approval::Allow;
                    }
                    next.await;
                }
            })
        }
    }
}

/// Pays, if a person says so.
#[tool(approval)]
async fn pay(desk: State<Desk>) -> &'static str {
    desk.work("paid").await;
    "paid"
}

/// Takes a note.
#[tool]
async fn note(text: &str, desk: State<Desk>) -> String {
    desk.work(&format!("note {text}")).await;
    format!("noted {text}")
}

/// Gives up soon.
#[tool_hook]
async fn impatient(args: &mut Args, next: impl Next) -> ToolResult {
    match timeout(Duration::from_millis(50), next.run(args)).await {
        Ok(result) => result,
        Err(_) => Ok("nobody answered".into()),
    }
}

agent! {
    Cashier {
        description: "Pays.", state: Desk, instruction: "Pay.", function_tools: [pay, note], max_parallel: 1,
    }
}
agent! {
    Manager {
        description: "Has it paid.", state: Desk, instruction: "Have it paid.", agents: [Cashier], function_tools: [note],
    }
}
agent! {
    Owner { state: Desk, instruction: "Go.", agents: [Cashier, Manager], function_tools: [note], max_parallel: 1 }
}
agent! {
    Hasty { name: "Hasty", description: "Pays soon.", state: Desk, instruction: "Pay.", function_tools: [pay, note], tool_hooks: [impatient] }
}
agent! {
    Boss { state: Desk, instruction: "Go.", agents: [Hasty], function_tools: [note], max_parallel: 1 }
}

fn ask(agent: &str) -> ScriptedTurn {
    ScriptedTurn::call(agent, json!({ "input": "pay" }))
}

fn noting(turn: ScriptedTurn, texts: &[&str]) -> ScriptedTurn {
    texts.iter().fold(turn, |turn, text| turn.and_call("note", json!({ "text": text })))
}

async fn within_time<T>(run: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(10), run).await.expect("a call beside the child waits for the person")
}

#[tokio::test(start_paused = true)]
async fn u2_a_call_beside_a_child_that_waits_for_a_person_goes_on() {
    let desk = Desk::default();
    let model = ScriptedModel::default()
        .agent("Owner", [noting(ask("agent__Cashier"), &["a"]), ScriptedTurn::say("{last}")])
        .agent("Cashier", [ScriptedTurn::call("pay", json!({})), ScriptedTurn::say("{last}")]);
    let run = Owner::builder().model(model).state(desk.clone()).approver(desk.person(1)).run("go");
    let output: RunOutput = within_time(run).await.unwrap();
    assert_eq!(output.text, "paid\nnoted a");
    assert_eq!((desk.done(), desk.most()), (vec!["note a".to_owned(), "paid".to_owned()], 1));
}

/// The call in the middle has no bound of its own.
#[tokio::test(start_paused = true)]
async fn u2_a_call_beside_a_child_whose_child_waits_goes_on() {
    let desk = Desk::default();
    let model = ScriptedModel::default()
        .agent("Owner", [noting(ask("agent__Manager"), &["a", "b"]), ScriptedTurn::say("{last}")])
        .agent("Manager", [ask("agent__Cashier"), ScriptedTurn::say("{last}")])
        .agent("Cashier", [ScriptedTurn::call("pay", json!({})), ScriptedTurn::say("{last}")]);
    let run = Owner::builder().model(model).state(desk.clone()).approver(desk.person(2)).run("go");
    let output: RunOutput = within_time(run).await.unwrap();
    assert_eq!(output.text, "paid\nnoted a\nnoted b");
    assert_eq!(desk.most(), 1);
}

/// While one call of the child works, the child does not wait: its parent's place is taken.
#[tokio::test(start_paused = true)]
async fn u2_a_child_that_works_beside_a_wait_keeps_the_place_of_its_parent() {
    for notes in [1, 2, 3, 4] {
        let desk = Desk::default();
        let pay = ScriptedTurn::call("pay", json!({}));
        let model = ScriptedModel::default()
            .agent("Owner", [noting(ask("agent__Cashier"), &["a", "b"]), ScriptedTurn::say("{last}")])
            .agent("Cashier", [noting(pay, &["c", "d"]), ScriptedTurn::say("{last}")]);
        let run = Owner::builder().model(model).state(desk.clone()).approver(desk.person(notes)).run("go");
        let output: RunOutput = within_time(run).await.unwrap();
        assert_eq!(output.text, "paid\nnoted c\nnoted d\nnoted a\nnoted b");
        assert_eq!((desk.done().len(), desk.most()), (5, 1), "{notes}");
    }
}

/// Many at once, under a bound of two.
#[tokio::test(start_paused = true)]
async fn u2_places_are_neither_lost_nor_doubled_by_many_waits() {
    agent! {
        Narrow {
            description: "Has it paid.", state: Desk, instruction: "Go.", agents: [Cashier], max_parallel: 1,
        }
    }
    agent! {
        Two { state: Desk, instruction: "Go.", agents: [Cashier, Narrow], function_tools: [note], max_parallel: 2 }
    }
    let desk = Desk::default();
    let turn = (0..4).fold(ScriptedTurn::say(""), |turn, at| {
        let agent = if at % 2 == 0 { "agent__Cashier" } else { "agent__Narrow" };
        turn.and_call(agent, json!({ "input": "pay" })).and_call("note", json!({ "text": at.to_string() }))
    });
    let pay = || {
        ScriptedTurn::call("pay", json!({}))
            .and_call("pay", json!({}))
            .and_call("note", json!({ "text": "inside" }))
    };
    let model = ScriptedModel::default()
        .agent("Two", [turn.clone(), turn, ScriptedTurn::say("done")])
        .agent(
            "Narrow",
            [
                ask("agent__Cashier").and_call("agent__Cashier", json!({ "input": "pay" })),
                ScriptedTurn::say("{last}"),
            ],
        )
        .agent("Cashier", [pay(), ScriptedTurn::say("{last}")]);
    let run = Two::builder().model(model).state(desk.clone()).approver(desk.person(4)).run("go");
    let output: RunOutput = within_time(run).await.unwrap();
    assert_eq!(output.text, "done");
    // Two turns of two cashiers, and two managers with two cashiers each.
    assert_eq!(desk.done().iter().filter(|what| *what == "paid").count(), 2 * (2 + 4) * 2);
    assert!(desk.most() <= 2, "{}", desk.most());
}

/// A wait that a hook gives up leaves no call counted as one that waits.
#[tokio::test(start_paused = true)]
async fn u2_a_wait_that_is_given_up_ends_for_the_parent_too() {
    let desk = Desk::default();
    let model = ScriptedModel::default()
        .agent("Boss", [noting(ask("agent__Hasty"), &["a"]), ScriptedTurn::say("{last}")])
        .agent(
            "Hasty",
            [
                ScriptedTurn::call("pay", json!({})),
                noting(ScriptedTurn::say(""), &["b", "c"]),
                ScriptedTurn::say("{last}"),
            ],
        );
    let run = Boss::builder().model(model).state(desk.clone()).approver(desk.person(100)).run("go");
    let output: RunOutput = within_time(run).await.unwrap();
    assert_eq!(output.text, "noted b\nnoted c\nnoted a");
}
