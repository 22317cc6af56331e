//! The PMO report, run as a user runs it.

use std::process::Command;

fn report(arguments: &[&str]) -> (String, String, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_pmo"))
        .args(arguments)
        .env_remove("OPENAI_API_KEY")
        .env_remove("ANTHROPIC_API_KEY")
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes text");
    (text(output.stdout), text(output.stderr), output.status.success())
}

#[test]
fn a_the_report_asks_everybody_and_every_result_is_audited() {
    let (shown, errors, fine) = report(&[]);
    assert!(fine, "{errors}\n{shown}");
    let count = |text: &str| shown.matches(text).count();
    assert_eq!(count("PMO-orchestrator calls agent__NY-Project-Manager (agent)"), 3);
    assert_eq!(count("PMO-orchestrator calls agent__London-Project-Manager (agent)"), 1);
    assert_eq!(count("PMO-orchestrator calls time__get_current_time (mcp)"), 1);
    assert_eq!(count("PMO-orchestrator calls add_one (function)"), 2);
    // Real times from a real server.
    assert!(shown.contains("\"timezone\":\"America/New_York\""), "{shown}");
    // Each result of the orchestrator is marked; the line after the call holds it.
    let lines: Vec<_> = shown.lines().collect();
    let results: Vec<_> = lines
        .windows(2)
        .filter(|pair| pair[0].starts_with("PMO-orchestrator got "))
        .map(|pair| pair[1])
        .collect();
    assert_eq!(results.len(), 8, "{shown}");
    assert!(results.iter().all(|result| result.ends_with("[audit]")), "{results:?}");
    assert!(results.contains(&"     = 4 [audit]"), "3 + 1: {results:?}");
    assert!(results.contains(&"     = 11 [audit]"), "41 held to 10: {results:?}");
    assert!(results.contains(&"     = blocked [audit]"), "the shell: {results:?}");
    assert!(shown.contains("--- answer ---\nNew York:"), "{shown}");
}

#[test]
fn help_is_no_error_and_names_every_option() {
    for option in ["--help", "-h"] {
        let (shown, errors, fine) = report(&[option]);
        assert!(fine && errors.is_empty(), "{errors}");
        for word in
            ["usage: pmo", "--model NAME", "--base-url URL", "--script", "--mcp-config FILE", "--help"]
        {
            assert!(shown.contains(word), "`{word}` in {shown}");
        }
    }
}

#[test]
fn an_unknown_option_is_refused_with_the_usage() {
    let (_, errors, fine) = report(&["--modle", "x"]);
    assert!(!fine);
    assert!(errors.starts_with("unknown option --modle\nusage: pmo"), "{errors}");
}

#[test]
fn s3_the_tools_are_listed_as_models_get_them() {
    let (shown, errors, fine) = report(&["--tools"]);
    assert!(fine, "{errors}\n{shown}");
    let tools: Vec<serde_json::Value> = serde_json::from_str(&shown).expect("only a list is printed");
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    let wire_names = [
        "add_one",
        "agent__London-Project-Manager",
        "agent__NY-Project-Manager",
        "shell_execute",
        "time__get_current_time",
    ];
    assert_eq!(names, wire_names);
    assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"), "{shown}");
    assert_eq!(tools[0]["description"], "Adds one to a number.");
}
