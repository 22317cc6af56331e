//! A secret that is cut, asked about, or concealed for a while.

use std::sync::{Arc, Mutex};

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::{
    Args, ErrorKind, Secret, State, ToolContext, ToolOutput, ToolResult, guardrail, tool, tool_hook,
};
use serde_json::json;

use crate::lines::Lines;

const SECRET: &str = "s3cret-0123456789-abcdefghijklmnopqrstuvwxyz-\"ABCDEFGHIJKLM";

#[tool_hook]
fn conceals(cx: &ToolContext) {
    cx.conceal(&Secret::new(SECRET.to_owned()));
}

/// Takes numbers.
#[tool]
fn numbers(count: u8, #[arg(pattern = "^[0-9]*$")] digits: Option<String>, more: Option<Vec<u8>>) -> usize {
    usize::from(count) + digits.map_or(0, |digits| digits.len()) + more.map_or(0, |more| more.len())
}

#[tokio::test]
async fn t8_an_argument_error_shows_no_part_of_a_secret() {
    let spec = numbers::spec().hook(conceals::new());
    for args in [
        json!({ "count": SECRET }),
        json!({ "count": format!("before it {SECRET}") }),
        json!({ "count": 1, "digits": SECRET }),
        json!({ "count": 1, "more": [SECRET] }),
        json!({ "count": 1, SECRET: 1 }),
        json!({ "count": 1, "more": { SECRET: SECRET } }),
    ] {
        let execution = spec.exec(args.clone()).await;
        let told = format!("{:?} {:?}", execution.output().unwrap_err(), execution.error_chain());
        assert!(!told.contains("s3cret") && !told.contains("0123"), "{told}");
    }
    let told = spec.call(json!({ "count": SECRET })).await.unwrap_err();
    assert_eq!(told.as_tool_error().unwrap().kind(), ErrorKind::Arguments);
    assert!(told.to_string().contains("found the string \"[secret]"), "{told}");
}

fn says_why(args: &Args) -> Option<String> {
    Some(format!("it holds {}", args["key"].as_str()?))
}

/// Has to be approved.
#[tool(approval = says_why, hooks = [conceals])]
fn sends(key: String) -> usize {
    key.len()
}

#[tokio::test]
async fn u2_an_approver_is_shown_no_secret_in_the_reason() {
    let seen = Arc::new(Mutex::new(String::new()));
    let shown = Arc::clone(&seen);
    let mut spec = sends::spec();
    spec.approver(move |request: ApprovalRequest| {
        *shown.lock().unwrap() = format!("{request:?} {:?}", request.reason());
        async { Approval::Allow }
    });
    assert_eq!(spec.call(json!({ "key": SECRET })).await.unwrap(), SECRET.len());
    let seen = seen.lock().unwrap();
    assert!(seen.contains("it holds [secret]") && !seen.contains("s3cret"), "{seen}");
}

static SEEN: Mutex<String> = Mutex::new(String::new());

#[tool_hook]
fn looks(result: &ToolResult) {
    SEEN.lock().unwrap().push_str(&format!("{result:?}"));
}

#[guardrail(output)]
fn writes_it(output: ToolOutput) -> ToolOutput {
    ToolOutput::text(format!("{} and {SECRET}", output.to_text()))
}

/// Greets.
#[tool(hooks = [conceals, looks], output_guardrails = [writes_it])]
fn greets() -> &'static str {
    "hello"
}

/// Greets without hooks.
#[tool]
fn greets_only() -> &'static str {
    "hello"
}

#[tokio::test]
async fn t8_the_hooks_of_a_tool_see_no_secret_that_its_guardrail_wrote() {
    greets::spec().call("{}").await.unwrap();
    let mut added = greets_only::spec().hook(conceals::new()).hook(looks::new());
    added.add_output_guardrails(writes_it::new());
    added.call("{}").await.unwrap();
    let seen = SEEN.lock().unwrap();
    assert!(seen.matches("hello and [secret]").count() == 2 && !seen.contains("s3cret"), "{seen}");
}

#[test]
fn u2_the_log_of_an_approvers_panic_shows_no_secret() {
    let lines = Lines::default();
    let mut spec = sends::spec();
    spec.approver(|request: ApprovalRequest| async move {
        assert!(request.tool_name() != "sends", "cannot ask about {SECRET}");
        Approval::Allow
    });
    let error = tracing::subscriber::with_default(lines.clone(), || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(spec.call(json!({ "key": SECRET }))).unwrap_err().to_string()
    });
    let log = lines.0.lock().unwrap().join("\n");
    assert!(log.contains("the approver panicked") && !log.contains("cannot ask about"), "{log}");
    assert!(!log.contains("s3cret") && !error.contains("s3cret"), "{log} {error}");
}

/// Makes a token, shows it, and shows it again when it is no longer valid.
#[tool]
fn logs_in(cx: &ToolContext, at: u32, known: State<u32>) -> String {
    let token = Secret::new(format!("token-{at}-{}", *known));
    cx.conceal(&token);
    if at == 0 {
        cx.forget(&token);
    }
    token.expose().clone()
}

#[tokio::test]
async fn t8_what_is_concealed_can_be_forgotten() {
    let spec = logs_in::spec().with_state(12_345_u32);
    assert_eq!(spec.call(json!({ "at": 1 })).await.unwrap(), "[secret]");
    assert_eq!(spec.call(json!({ "at": 0 })).await.unwrap(), "token-0-12345");
    assert_eq!(spec.call(json!({ "at": 1 })).await.unwrap(), "[secret]");
}
