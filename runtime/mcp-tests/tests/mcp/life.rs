//! Servers that die, change, and end.

use std::time::{Duration, Instant};

use onionskin::ErrorKind;
use serde_json::json;

use super::fixture::{Log, runs, server, wait_until};
use super::support::{All, Getter, build, call, notices, started};

#[tokio::test]
async fn a4_a_server_that_dies_in_a_call_is_reported_and_started_again() {
    let (agent, log) = started("plain", "crash").await;
    let begun = Instant::now();
    let outcome = call(&agent, "fix__crash", json!({})).await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(outcome.kind, Some(ErrorKind::Remote), "{outcome:?}");
    for part in ["server `fix` died", "exit status: 7", "starts the server again"] {
        assert!(outcome.text.contains(part), "{part}: {}", outcome.text);
    }
    assert!(!outcome.text.contains("segmentation fault"), "its standard error: {}", outcome.text);
    assert_eq!(call(&agent, "fix__get_echo", json!({"text": "back"})).await.text, "back");
    assert_eq!(log.pids().len(), 2);
    let told = notices(&agent).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("`fix` died (exit status: 7) and was started again"), "{told:?}");
    assert!(notices(&agent).await.is_empty(), "told once");
    agent.shutdown().await;
}

#[tokio::test]
async fn t8_what_a_server_writes_of_one_session_is_not_shown_to_another() {
    let (agent, _log) = started("exits-again", "others").await;
    let anna = call(&agent, "fix__get_echo", json!({"text": "card 4242-4242"})).await;
    assert_eq!(anna.text, "card 4242-4242");
    let died = call(&agent, "fix__crash", json!({})).await;
    let down = call(&agent, "fix__crash", json!({})).await;
    assert!(down.text.contains("could not be started again: it ended before it was ready"), "{down:?}");
    for outcome in [died, down] {
        assert_eq!(outcome.kind, Some(ErrorKind::Remote));
        assert!(!outcome.text.contains("4242"), "{outcome:?}");
    }
    let told = notices(&agent).await;
    assert!(!told.is_empty() && !told.concat().contains("4242"), "{told:?}");
}

#[tokio::test]
async fn a4_callers_that_give_up_while_a_server_starts_leave_the_start_to_the_next() {
    let (agent, log) = started("slow-again", "impatient").await;
    call(&agent, "fix__crash", json!({})).await;
    let begun = Instant::now();
    for _ in 0..5 {
        let impatient = call(&agent, "fix__get_echo", json!({"text": "a"}));
        assert!(tokio::time::timeout(Duration::from_millis(50), impatient).await.is_err());
    }
    assert_eq!(call(&agent, "fix__get_echo", json!({"text": "back"})).await.text, "back");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(log.pids().len(), 2, "one start for all of them");
    let told = notices(&agent).await;
    assert_eq!(told.len(), 1, "{told:?}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_shutdown_ends_a_start_that_runs() {
    let (agent, log) = started("slow-again", "shutdown-start").await;
    call(&agent, "fix__crash", json!({})).await;
    let impatient = call(&agent, "fix__get_echo", json!({"text": "a"}));
    assert!(tokio::time::timeout(Duration::from_millis(500), impatient).await.is_err());
    wait_until("the second start", || log.pids().len() == 2).await;
    agent.shutdown().await;
    wait_until("the end of all processes", || log.pids().iter().all(|pid| !runs(*pid))).await;
}

#[tokio::test]
async fn a4_all_calls_in_flight_end_when_the_server_dies() {
    let (agent, log) = started("plain", "in-flight").await;
    let hanging = (0..50).map(|_| call(&agent, "fix__hang", json!({})));
    let crash = async {
        wait_until("fifty calls", || log.count("hang") == 50).await;
        call(&agent, "fix__crash", json!({})).await
    };
    let (hanging, crash) = tokio::join!(futures_util::future::join_all(hanging), crash);
    for outcome in hanging.iter().chain([&crash]) {
        assert_eq!(outcome.kind, Some(ErrorKind::Remote), "{outcome:?}");
    }
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_server_that_dies_again_and_again_is_left_alone_for_a_while() {
    let (agent, log) = started("plain", "again").await;
    for _ in 0..4 {
        let outcome = call(&agent, "fix__crash", json!({})).await;
        assert!(outcome.text.contains("died during the call"), "{outcome:?}");
    }
    let begun = Instant::now();
    let outcome = call(&agent, "fix__crash", json!({})).await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(outcome.kind, Some(ErrorKind::Remote));
    for part in ["`fix` is down (exit status: 7)", "3 times", "tried again in"] {
        assert!(outcome.text.contains(part), "{part}: {}", outcome.text);
    }
    assert_eq!(log.pids().len(), 4);
    agent.shutdown().await;
}

/// A program may drop its runtime and go on.
#[cfg(target_os = "linux")]
#[test]
fn a4_no_zombie_is_left_by_a_runtime_that_was_dropped() {
    let log = Log::new("zombie");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let agent = runtime.block_on(build::<All>(server("leaves-a-child", &log))).unwrap();
    drop(runtime);
    let process = format!("/proc/{}", log.pids()[0]);
    assert!(!std::path::Path::new(&process).exists(), "{:?}", std::fs::read_to_string(process + "/stat"));
    drop(agent);
}

#[tokio::test]
async fn a4_changed_tools_are_seen_by_the_next_turn() {
    let log = Log::new("changed");
    let agent = build::<Getter>(server("plain", &log)).await.unwrap();
    assert_eq!(agent.tool_names().unwrap(), ["fix__get_echo", "fix__get_old"]);
    let other = build::<All>(server("plain", &log)).await.unwrap();
    // A run that began before keeps its tools; a later one sees the new list.
    assert_eq!(call(&other, "fix__change", json!({})).await.text, "done");
    wait_until("the new list", || other.tool_names().unwrap().iter().any(|name| name == "fix__get_new"))
        .await;
    assert!(!other.tool_names().unwrap().iter().any(|name| name == "fix__get_old"));
    assert_eq!(
        agent.tool_names().unwrap(),
        ["fix__get_echo", "fix__get_old"],
        "another process, another list"
    );
    agent.shutdown().await;
    other.shutdown().await;
}

#[tokio::test]
async fn a4_a_list_that_cannot_be_read_again_keeps_the_old_one() {
    let (agent, log) = started("plain", "changed-badly").await;
    let before = agent.tool_names().unwrap();
    assert_eq!(call(&agent, "fix__change_badly", json!({})).await.text, "done");
    wait_until("the second list", || log.count("list") == 2).await;
    let mut told = Vec::new();
    for _ in 0..100 {
        told = notices(&agent).await;
        if !told.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(told.first().is_some_and(|text| text.contains("the shelf is locked")), "{told:?}");
    assert_eq!(agent.tool_names().unwrap(), before);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_graceful_shutdown_closes_the_input_and_leaves_nothing_running() {
    let (agent, log) = started("plain", "shutdown").await;
    let pid = log.pids()[0];
    assert!(runs(pid));
    agent.shutdown().await;
    assert_eq!(log.count("input closed"), 1, "{:?}", log.lines());
    assert!(!runs(pid));
}

#[tokio::test]
async fn a4_a_server_that_ignores_its_closed_input_is_ended() {
    let (agent, log) = started("stays leaves-a-child", "stays").await;
    let pids = log.pids();
    assert_eq!(pids.len(), 2);
    let begun = Instant::now();
    agent.shutdown().await;
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    wait_until("the end of all processes", || pids.iter().all(|pid| !runs(*pid))).await;
}

#[tokio::test]
async fn a4_a_dropped_agent_leaves_nothing_running() {
    let (agent, log) = started("stays leaves-a-child", "drop").await;
    let pids = log.pids();
    assert!(pids.iter().all(|pid| runs(*pid)));
    drop(agent);
    wait_until("the end of all processes", || pids.iter().all(|pid| !runs(*pid))).await;
}

#[test]
fn a4_a_runtime_that_ends_leaves_nothing_running() {
    let log = Log::new("runtime");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let agent = runtime.block_on(build::<All>(server("stays leaves-a-child", &log))).unwrap();
    drop(runtime);
    let pids = log.pids();
    let deadline = Instant::now() + Duration::from_secs(5);
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(Instant::now() < deadline, "{pids:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(agent);
}

#[tokio::test]
async fn a4_calls_after_a_shutdown_are_refused() {
    let (agent, log) = started("plain", "after").await;
    let other = agent.clone();
    agent.shutdown().await;
    let outcome = call(&other, "fix__pid", json!({})).await;
    assert_eq!(outcome.text, "the MCP server `fix` was shut down");
    assert_eq!(log.pids().len(), 1);
}
