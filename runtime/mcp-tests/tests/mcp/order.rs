//! Which calls of one turn run side by side.

use std::path::Path;
use std::time::Duration;

use onionskin::journal::MemoryJournal;
use onionskin::mcp::ServerConfig;
use onionskin::{AgentHandle, ScriptedModel, ScriptedTurn, agent};
use serde_json::{Value, json};

use super::fixture::{Log, server};

agent! {
    Writer {
        description: "Writes.",
        instruction: "Write.",
        servers: [fix],
    }
}

agent! {
    OfTwo {
        instruction: "Write.",
        servers: [fix, other],
    }
}

agent! {
    Lead {
        instruction: "Delegate.",
        agents: [Writer],
    }
}

/// A server whose tools read a file, wait and write it back.
fn notebook(log: &Log) -> ServerConfig {
    let path = format!("{}.notebook", log.path());
    let _ = std::fs::remove_file(&path);
    server("notebook", log).env("NOTEBOOK", path)
}

fn lines(log: &Log) -> String {
    std::fs::read_to_string(format!("{}.notebook", log.path())).unwrap_or_default()
}

/// How many calls ran at one time, at most.
fn most(log: &Log) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    for line in log.lines() {
        match line.split(' ').next() {
            Some("begin") => now += 1,
            Some("end") => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}

/// One turn with these calls, and another one.
fn turn(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ScriptedModel {
    let mut calls = calls.into_iter();
    let (tool, args) = calls.next().unwrap();
    let turn = calls.fold(ScriptedTurn::call(tool, args), |turn, (tool, args)| turn.and_call(tool, args));
    ScriptedModel::turns([turn, ScriptedTurn::say("over")])
}

fn writes(ms: u64) -> impl Iterator<Item = (&'static str, Value)> {
    ["one", "two", "three", "four"]
        .into_iter()
        .map(move |line| ("fix__add_line", json!({"line": line, "ms": ms})))
}

/// Runs the agent, ends its servers, and gives the most calls that ran at once.
async fn most_at_once(agent: AgentHandle, log: &Log) -> usize {
    agent.run("Go.").await.unwrap();
    agent.shutdown().await;
    most(log)
}

#[tokio::test]
async fn a7_calls_of_one_server_that_change_something_run_one_after_the_other_in_the_order_of_the_model() {
    let log = Log::new("order-writes");
    let calls = writes(50).chain([("fix__get_lines", json!({}))]);
    // The wait is no part of the time limit.
    let server = notebook(&log).timeout(Duration::from_secs(1));
    let agent = Writer::builder().model(turn(calls)).server("fix", server).build().await.unwrap();
    let output = agent.run("Write.").await.unwrap();
    let expected = "one\ntwo\nthree\nfour\n";
    assert_eq!(lines(&log), expected);
    assert_eq!(output.tool_calls[4].to_text(), expected, "a call that reads waits too");
    assert_eq!(most(&log), 1);
    agent.shutdown().await;
}

#[tokio::test]
async fn a7_calls_of_children_wait_for_those_of_the_others() {
    let log = Log::new("order-children");
    let ask = || json!({"input": "Write."});
    let write = ScriptedTurn::call("fix__add_line", json!({"line": "one", "ms": 300}));
    let asks = ScriptedTurn::call("agent__Writer", ask()).and_call("agent__Writer", ask());
    let model = ScriptedModel::turns([asks, ScriptedTurn::say("over")])
        .agent("Writer", [write, ScriptedTurn::say("written")]);
    let lead = Lead::builder().model(model).server("fix", notebook(&log)).build().await.unwrap();
    lead.run("Write.").await.unwrap();
    assert_eq!((lines(&log).lines().count(), most(&log)), (2, 1));
    lead.shutdown().await;
}

#[tokio::test]
async fn a7_calls_of_a_run_with_a_journal_keep_their_order() {
    let log = Log::new("order-journal");
    let builder = Writer::builder().model(turn(writes(50))).server("fix", notebook(&log));
    let agent = builder.journal(MemoryJournal::default()).build().await.unwrap();
    agent.run("Write.").await.unwrap();
    assert_eq!((&*lines(&log), most(&log)), ("one\ntwo\nthree\nfour\n", 1));
    agent.shutdown().await;
}

#[tokio::test]
async fn a7_the_wait_for_a_call_before_is_no_part_of_the_time_limit_of_a_server() {
    let log = Log::new("order-limit");
    let server = notebook(&log).timeout(Duration::from_millis(900));
    let agent = Writer::builder().model(turn(writes(400))).server("fix", server).build().await.unwrap();
    agent.run("Write.").await.unwrap();
    assert_eq!(lines(&log), "one\ntwo\nthree\nfour\n");
    agent.shutdown().await;
}

#[tokio::test]
async fn a7_a_call_that_ends_at_its_time_limit_lets_the_next_one_go_on() {
    let log = Log::new("order-late");
    let calls = [("fix__hang", json!({})), ("fix__add_line", json!({"line": "one"}))];
    let server = notebook(&log).timeout(Duration::from_millis(700));
    let agent = Writer::builder().model(turn(calls)).server("fix", server).build().await.unwrap();
    let output = agent.run("Write.").await.unwrap();
    assert!(output.tool_calls[0].to_text().contains("did not answer within"), "{:?}", output.tool_calls);
    assert_eq!(lines(&log), "one\n");
    agent.shutdown().await;
}

#[tokio::test]
async fn a7_calls_that_read_run_side_by_side() {
    let log = Log::new("order-reads");
    let calls = [(); 3].map(|()| ("fix__get_lines", json!({"ms": 700})));
    let agent = Writer::builder().model(turn(calls)).server("fix", notebook(&log)).build().await.unwrap();
    assert_eq!(most_at_once(agent, &log).await, 3);
}

#[tokio::test]
async fn a7_calls_of_two_servers_run_side_by_side() {
    let log = Log::new("order-two");
    let calls = ["fix__add_line", "other__add_line"].map(|tool| (tool, json!({"line": "one", "ms": 700})));
    let agent = OfTwo::builder()
        .model(turn(calls))
        .server("fix", notebook(&log))
        .server("other", notebook(&log))
        .build()
        .await
        .unwrap();
    assert_eq!(most_at_once(agent, &log).await, 2);
}

#[tokio::test]
async fn a7_calls_of_a_parallel_server_run_side_by_side() {
    let log = Log::new("order-parallel");
    let server = notebook(&log).parallel();
    let agent = Writer::builder().model(turn(writes(700))).server("fix", server).build().await.unwrap();
    assert_eq!(most_at_once(agent, &log).await, 4);
}

/// So can a file say it.
#[tokio::test]
async fn a4_a_file_makes_a_server_parallel() {
    let log = Log::new("order-file");
    let file = json!({"mcpServers": {"fix": {
        "command": env!("CARGO_BIN_EXE_fixture"),
        "args": ["notebook"],
        "env": {"FIXTURE_LOG": log.path(), "NOTEBOOK": Path::new(&log.path()).with_extension("notebook")},
        "parallel": true,
    }}});
    let config = onionskin::mcp::McpConfig::from_json(&file.to_string(), ".mcp.json").unwrap();
    let agent = Writer::builder().model(turn(writes(700))).servers(config).build().await.unwrap();
    assert_eq!(most_at_once(agent, &log).await, 4);
}
