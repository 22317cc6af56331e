//! O5: a run that is stopped between two turns lets its steps end, and continues with its journal.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::journal::MemoryJournal;
use onionskin::{
    AgentHandle, AgentTool, CancellationToken, Provided, RunError, ScriptedModel, ScriptedTurn, agent, tool,
};
use serde_json::json;
use tokio::sync::Notify;

/// The parcels of a depot.
#[derive(Default)]
struct Depot {
    /// A parcel is on its way.
    begun: Notify,
    sent: Mutex<Vec<u32>>,
}

/// Sends a parcel, which takes some time.
#[tool(effect = once)]
async fn send(parcel: u32, depot: Provided<Depot>) -> String {
    depot.begun.notify_one();
    tokio::time::sleep(Duration::from_millis(50)).await;
    depot.sent.lock().unwrap().push(parcel);
    format!("sent {parcel}")
}

agent! {
    Sender { name: "sender", description: "Sends.", instruction: "Send.", function_tools: [send] }
    Office { name: "office", instruction: "Work.", function_tools: [send], agents: [Sender] }
    Asking { name: "asking", instruction: "Work.", function_tools: [send] }
}

fn parcel(number: u32) -> ScriptedTurn {
    ScriptedTurn::call("send", json!({ "parcel": number }))
}

/// Two parcels in one turn, the second by the sender, who has another one; then one more.
fn model(entry: &str) -> ScriptedModel {
    let first = parcel(1).and_call("agent__sender", json!({ "input": "go" }));
    ScriptedModel::new()
        .agent(entry, [first, parcel(4), ScriptedTurn::say("{last}")])
        .agent("sender", [parcel(2), parcel(3), ScriptedTurn::say("{last}")])
}

/// An office with the sender as a child, or as a tool with a session of its own.
async fn office(depot: &Arc<Depot>, journal: &Arc<MemoryJournal>, has_child: bool) -> AgentHandle {
    let (depot, journal) = (Arc::clone(depot), Arc::clone(journal));
    if has_child {
        let office = Office::builder().model(model("office")).provide_shared(depot).journal(journal);
        return office.build().await.unwrap();
    }
    let sender = Sender::builder().model(model("office")).provide_shared(Arc::clone(&depot));
    let asking = Asking::builder().model(model("asking")).provide_shared(depot).journal(journal);
    asking.tool(AgentTool::new(&sender.build().await.unwrap())).build().await.unwrap()
}

/// Runs, stops at the call with this number, and gives the parcels that were sent.
async fn stopped(office: &AgentHandle, depot: &Depot, calls: usize) -> Vec<u32> {
    let stop = CancellationToken::new();
    let run = office.request("go").run_id("order").stop_between_turns(stop.clone()).run();
    let stops = async {
        for _ in 0..calls {
            depot.begun.notified().await;
        }
        stop.cancel();
    };
    let both = async { tokio::join!(run, stops) };
    let (ended, ()) = tokio::time::timeout(Duration::from_secs(20), both).await.expect("the run ends");
    assert!(matches!(ended, Err(RunError::Cancelled { .. })), "{ended:?}");
    sent(depot)
}

fn sent(depot: &Depot) -> Vec<u32> {
    let mut sent = depot.sent.lock().unwrap().clone();
    sent.sort_unstable();
    sent
}

#[tokio::test]
async fn o5_a_stopped_run_lets_its_calls_end_and_continues_with_its_journal() {
    for has_child in [true, false] {
        let (depot, journal) = <(Arc<Depot>, Arc<MemoryJournal>)>::default();
        let first = office(&depot, &journal, has_child).await;
        assert_eq!(
            stopped(&first, &depot, 1).await,
            [1, 2],
            "the calls of the turn end, and no other begins"
        );
        let second = office(&depot, &journal, has_child).await;
        assert_eq!(second.request("go").run_id("order").run().await.unwrap().text, "sent 4");
        assert_eq!(sent(&depot), [1, 2, 3, 4], "each parcel is sent once");
    }
}

#[tokio::test]
async fn o5_a_run_that_is_stopped_before_its_begin_asks_no_model() {
    let depot = Arc::default();
    let office = office(&depot, &Arc::default(), true).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let ended = office.request("go").stop_between_turns(stop).run().await;
    assert!(matches!(ended, Err(RunError::Cancelled { .. })), "{ended:?}");
    assert!(sent(&depot).is_empty());
}

#[tokio::test]
async fn o5_a_stopped_run_leaves_its_conversation_to_the_session() {
    let depot = Arc::default();
    let office = office(&depot, &Arc::default(), true).await;
    let (session, stop) = (office.session(), CancellationToken::new());
    let run = office.request("go").session(&session).stop_between_turns(stop.clone()).run();
    let stops = async {
        depot.begun.notified().await;
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(run, stops);
    assert!(matches!(ended, Err(RunError::Cancelled { .. })), "{ended:?}");
    let said: Vec<_> = session.history().iter().map(|message| message.to_text().into_owned()).collect();
    assert!(said[0] == "go" && said[2].contains("sent 1"), "{said:?}");
}
