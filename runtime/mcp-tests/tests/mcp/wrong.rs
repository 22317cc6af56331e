//! Servers that break the protocol: each is named at once, and other calls are not affected.

use std::time::{Duration, Instant};

use onionskin::ErrorKind;
use onionskin::event::EventKind;
use onionskin::mcp::ServerConfig;
use serde_json::{Value, json};

use super::fixture::{Log, runs, server, wait_until};
use super::support::{All, Outcome, build, build_error, call, notices, started};

/// One call of a tool of the raw server, which must not take long.
async fn raw(tool: &str) -> Outcome {
    let agent = build::<All>(server("raw", &Log::new(&format!("raw-{tool}")))).await.unwrap();
    let begun = Instant::now();
    let outcome = call(&agent, &format!("fix__{tool}"), json!({})).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{tool}: {:?}", begun.elapsed());
    // Other calls continue.
    assert_eq!(call(&agent, "fix__echo", json!({})).await.text, "done", "{tool}");
    agent.shutdown().await;
    outcome
}

#[tokio::test]
async fn a4_an_answer_that_cannot_be_read_fails_at_once_and_says_why() {
    for (tool, reason) in [
        ("surrogate", "half of a surrogate pair"),
        ("utf8", "bytes that are not UTF-8"),
        ("deep", "nested too deeply"),
        ("nan", "not JSON"),
        ("pretty", "spans several lines"),
        ("neither", "neither `result` nor `error`"),
        ("huge", "longer than 16 MiB"),
        ("huge_last", "longer than 16 MiB"),
    ] {
        let outcome = raw(tool).await;
        assert_eq!(outcome.kind, Some(ErrorKind::Unreadable), "{tool}: {outcome:?}");
        let known = "the MCP server `fix` gave an answer that cannot be read: ";
        assert!(outcome.text.starts_with(known) && outcome.text.contains(reason), "{tool}: {}", outcome.text);
        assert!(outcome.text.len() < 400, "{tool}: {}", outcome.text);
    }
}

#[tokio::test]
async fn a4_what_is_odd_and_can_be_read_is_read() {
    for (tool, text) in [
        ("string_id", "text"),
        ("unknown_id", "right"),
        ("says_log", "logged"),
        ("flood", "dry"),
        ("progress", "over"),
    ] {
        assert_eq!(raw(tool).await.text, text, "{tool}");
    }
    let outcome = raw("null_id").await;
    assert_eq!(outcome.kind, Some(ErrorKind::Remote));
    assert!(outcome.text.contains("refused the call: cannot read this"), "{outcome:?}");
}

#[tokio::test]
async fn a4_an_unreadable_answer_leaves_the_calls_beside_it_alone() {
    let log = Log::new("raw-beside");
    let agent = build::<All>(server("raw", &log).timeout(Duration::from_secs(3))).await.unwrap();
    let waits = call(&agent, "fix__wait", json!({}));
    let breaks = async {
        log.wait_for("wait").await;
        let mut kinds = Vec::new();
        for tool in ["surrogate", "utf8", "huge_last"] {
            kinds.push(call(&agent, &format!("fix__{tool}"), json!({})).await.kind);
        }
        kinds
    };
    let (waits, kinds) = tokio::join!(waits, breaks);
    assert_eq!(kinds, [Some(ErrorKind::Unreadable); 3]);
    assert_eq!(waits.kind, Some(ErrorKind::Timeout), "{waits:?}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_an_unreadable_handshake_fails_at_once() {
    let begun = Instant::now();
    let text = build_error::<All>(server("raw pretty-init", &Log::new("pretty-init"))).await;
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(
        text.contains("the handshake failed: its answer cannot be read: it spans several lines"),
        "{text}"
    );
}

#[tokio::test]
async fn a4_control_characters_of_a_server_are_escaped_and_its_texts_bounded() {
    let text = build_error::<All>(server("raw escapes-init", &Log::new("escapes-init"))).await;
    assert!(text.contains(r"no \u{1b}[2J\u{202e}licence"), "{text}");
    let loud = ServerConfig::stdio("sh")
        .args(["-c", r"printf '\033[2Jout\n'; printf '\033]0;x\007err\n' >&2; exit 1"]);
    let text = build_error::<All>(loud).await;
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    assert!(text.contains(r"\u{1b}[2Jout") && text.contains(r"\u{1b}]0;x\u{7}err"), "{text}");
    let outcome = raw("escapes").await;
    assert!(outcome.text.contains(r"refused the call: \u{1b}]0;owned\u{7} \u{202e}no"), "{}", outcome.text);
    assert!(outcome.text.len() < 10_000, "{}", outcome.text.len());
}

#[tokio::test]
async fn a4_one_malformed_tool_costs_no_other_and_is_reported() {
    let agent = build::<All>(server("raw bad-tools", &Log::new("bad-tools"))).await.unwrap();
    assert_eq!(agent.tool_names().unwrap(), ["fix__echo", "fix__late"]);
    let mut stream = agent.stream("fix__echo {}");
    let mut told = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            told.push(text);
        }
    }
    let all = told.join("\n");
    for part in [
        "the MCP server `fix`: the tool number 2 is left out: invalid type: integer `5`",
        "the tool `no_schema` is left out: missing field `inputSchema`",
        "the tool `bad_schema` is left out",
        "the tool number 5 is left out: its name is empty",
        r"the tool `bell\u{7}` is left out: its name contains hidden characters",
        "the tool `half` is left out: a string contains half of a surrogate pair",
        "the tool `echo` is left out: it is listed twice",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert!(all.len() < 4_000, "{}", all.len());
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_server_that_asks_and_never_reads_is_ended() {
    let (agent, log) = started("raw", "asks").await;
    let begun = Instant::now();
    let outcome = call(&agent, "fix__ask", json!({})).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(outcome.kind, Some(ErrorKind::Remote));
    assert!(
        outcome.text.contains("died during the call (it sent more than 256 requests without reading"),
        "{outcome:?}"
    );
    wait_until("its end", || !runs(log.pids()[0])).await;
    assert_eq!(call(&agent, "fix__echo", json!({})).await.text, "done");
    let outcome = call(&agent, "fix__endless", json!({})).await;
    assert!(outcome.text.contains("died during the call (it wrote a line without end"), "{outcome:?}");
    wait_until("its end", || !runs(log.pids()[1])).await;
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_requests_of_a_server_are_answered() {
    let (agent, log) = started("raw asks-first", "asks-first").await;
    wait_until("both answers", || log.count("answered") == 2).await;
    let lines = log.lines();
    let answers = lines.iter().filter_map(|line| line.strip_prefix("answered "));
    let answers: Vec<Value> = answers.map(|answer| serde_json::from_str(answer).unwrap()).collect();
    assert!(answers.contains(&json!({"jsonrpc": "2.0", "id": "p", "result": {}})), "{answers:?}");
    assert!(answers.iter().any(|answer| answer["error"]["code"] == -32601), "{answers:?}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_storm_of_changes_costs_few_lists_and_no_core() {
    let (agent, log) = started("raw", "storm").await;
    assert_eq!(call(&agent, "fix__storm", json!({})).await.text, "over");
    let told: u64 = log.lines().iter().find_map(|line| line.strip_prefix("told ")?.parse().ok()).unwrap();
    assert!(told < 30_000, "{told} were read in two seconds");
    assert!(log.count("list") < 10, "{}", log.count("list"));
    assert!(notices(&agent).await.len() <= 1);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_time_limit_without_end_is_one() {
    let log = Log::new("forever");
    let config = server("plain", &log).timeout(Duration::MAX).start_timeout(Duration::MAX);
    let agent = build::<All>(config).await.unwrap();
    assert_eq!(call(&agent, "fix__slow", json!({})).await.text, "done");
    agent.shutdown().await;
}
