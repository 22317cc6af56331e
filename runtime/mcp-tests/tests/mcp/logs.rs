//! The log messages of servers.

use std::time::Duration;

use serde_json::json;
use tracing::Level;

use super::fixture::{Log, server};
use super::support::{All, build, call};
use super::thread_log::keep;

#[tokio::test]
async fn a4_the_log_of_a_server_is_written_at_its_levels_within_bounds_and_without_secrets() {
    let (logged, _guard) = keep(Level::DEBUG);
    let log = Log::new("log-levels");
    let agent = build::<All>(server("raw", &log)).await.unwrap();
    assert_eq!(call(&agent, "fix__logs", json!({})).await.text, "done");
    let text = logged.text();
    for line in [
        "DEBUG onionskin_mcp::server: log: a debug message",
        r#" INFO onionskin_mcp::server: log: {"an":"object","key":"[$SECRET]"}"#,
        r" WARN onionskin_mcp::server: log: a warning\nERROR forged [$SECRET]\u{202e}",
        "ERROR onionskin_mcp::server: log: an emergency",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line} in {text}");
    }
    assert!(text.contains(r#"server="fix" logger="db"#) && !text.contains('\u{1b}'), "{text}");
    assert!(
        text.lines().any(|line| line.contains("log: a message of 100") && line.contains("bytes is left out")),
        "{text}"
    );
    let floods = text.lines().filter(|line| line.contains("log: flood")).count();
    assert!((50..=100).contains(&floods), "{floods}");
    assert!(!text.contains("hunter2"), "{text}");
    log.wait_for("level \"debug\"").await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(call(&agent, "fix__logs", json!({})).await.text, "done");
    let text = logged.text();
    assert!(
        text.lines().any(|line| line.starts_with(" WARN") && line.contains("messages are left out")),
        "{text}"
    );
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_server_is_asked_for_the_messages_that_are_logged() {
    let (_, guard) = keep(Level::WARN);
    let log = Log::new("log-warnings");
    let agent = build::<All>(server("raw", &log)).await.unwrap();
    log.wait_for("level \"warning\"").await;
    agent.shutdown().await;
    drop(guard);
    // Nothing is logged, and a server without a log is not asked.
    let (_, _guard) = keep(Level::DEBUG);
    let silent = Log::new("log-none");
    let agent = build::<All>(server("plain", &silent)).await.unwrap();
    assert_eq!(call(&agent, "fix__fail", json!({})).await.text, "no such city");
    assert_eq!(silent.count("level"), 0);
    agent.shutdown().await;
}
