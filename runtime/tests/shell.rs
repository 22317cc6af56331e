//! `shell.execute`: real commands, and nothing of them that runs on.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use onionskin::builtin::shell::{Shell, execute};
use onionskin::declaration::AgentDeclaration;
use onionskin::definition::ToolSource;
use onionskin::event::CallOutcome;
use onionskin::{
    Agent, Args, DynTool, Effect, ErrorKind, Exit, ScriptedModel, ScriptedTurn, Secret, ToolContext,
    ToolResult, agent, tool_hook,
};
use serde_json::{Value, json};

async fn call(shell: &impl DynTool, args: Value) -> ToolResult {
    let cx = ToolContext::detached("shell.execute");
    let mut args = Args::from(args.to_string());
    let result = tokio::time::timeout(Duration::from_secs(20), shell.run_dyn(&cx, &mut args)).await;
    result.expect("it hangs")
}

async fn run(shell: &Shell, command: &str) -> ToolResult {
    call(shell, json!({ "command": command })).await
}

/// The report of a failed call.
fn error(result: ToolResult, kind: ErrorKind) -> String {
    match result.unwrap_err() {
        Exit::Tool(error) => {
            assert_eq!(error.kind(), kind, "{error}");
            error.to_text().into_owned()
        }
        other => panic!("{other}"),
    }
}

/// A file that does not exist yet.
fn mark(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("onionskin-shell-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[tokio::test]
async fn a6_output_is_text_and_structure() {
    let output = run(&Shell::new(), "echo out; echo err >&2").await.unwrap();
    assert_eq!(output.to_text(), "out\n\n[standard error]\nerr\n");
    let structured = output.structured_content().unwrap().into_owned();
    assert_eq!(structured, json!({"exit_code": 0, "stdout": "out\n", "stderr": "err\n"}));
    assert_eq!(run(&Shell::new(), "true").await.unwrap().to_text(), "(no output)");
}

#[tokio::test]
async fn a6_a_status_other_than_0_is_a_tool_error_with_the_output() {
    let result = run(&Shell::new(), "echo half; echo why >&2; exit 3").await;
    let Err(Exit::Tool(failed)) = &result else { panic!("{result:?}") };
    let structured = failed.output().structured_content().unwrap().into_owned();
    assert_eq!(structured, json!({"exit_code": 3, "stdout": "half\n", "stderr": "why\n"}));
    let text = error(result, ErrorKind::Failed);
    assert_eq!(text, "Exit status 3.\nhalf\n\n[standard error]\nwhy\n");
    let text = error(run(&Shell::new(), "kill -TERM $$").await, ErrorKind::Failed);
    assert!(text.starts_with("Exit status 143."), "{text}");
}

#[tokio::test]
async fn a6_input_is_empty() {
    assert_eq!(run(&Shell::new(), "cat; echo end").await.unwrap().to_text(), "end\n");
}

#[tokio::test]
async fn a6_output_is_bounded_and_the_command_does_not_block() {
    let shell = Shell::new().max_output(20);
    let command = "printf 0123456789; head -c 1000000 /dev/zero | tr '\\0' x; printf abcdefghij; \
                   head -c 1000000 /dev/zero >&2";
    let output = run(&shell, command).await.unwrap();
    let structured = output.structured_content().unwrap().into_owned();
    assert_eq!(structured["stdout"], "0123456789\n[.. 1000000 bytes left out ..]\nabcdefghij");
    assert!(structured["stderr"].as_str().unwrap().contains("[.. 999980 bytes left out ..]"));
}

#[tokio::test]
async fn t8_neither_end_of_what_is_left_out_shows_a_part_of_a_secret() {
    const SECRET: &str = "hunter-0123456789-\u{fc}-abcdefghijklmnopqrstuvwxyz";
    for most in 10..150 {
        let shell = Shell::new().max_output(most);
        let cx = ToolContext::detached("shell.execute");
        cx.conceal(&Secret::new(SECRET.to_owned()));
        let command = format!("printf '%s' '1{SECRET}2{SECRET}3'; printf '%s' '{SECRET}' >&2");
        let output =
            shell.run_dyn(&cx, &mut Args::from(json!({ "command": command }).to_string())).await.unwrap();
        let told = format!("{} {}", output.to_text(), output.structured_content().unwrap());
        let part = SECRET
            .as_bytes()
            .windows(4)
            .find(|part| str::from_utf8(part).is_ok_and(|part| told.contains(part)));
        assert_eq!(part, None, "{most}: {told}");
        assert!(most < 60 || told.contains("1[secret]2[secret]3"), "{most}: {told}");
    }
}

#[tokio::test]
async fn a6_a_timeout_ends_grandchildren_too() {
    let mark = mark("timeout");
    let command =
        format!("echo begun; (sleep 3; touch {0}) & sh -c 'sleep 3; touch {0}'; touch {0}", mark.display());
    let started = Instant::now();
    let shell = Shell::new().timeout(Duration::from_millis(300));
    let text = error(run(&shell, &command).await, ErrorKind::Timeout);
    assert!(started.elapsed() < Duration::from_millis(2_500), "{:?}", started.elapsed());
    assert!(text.starts_with("It did not end within 300ms") && text.ends_with("\nbegun\n"), "{text}");
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    assert!(!mark.exists(), "a grandchild lived on");
}

#[tokio::test]
async fn a6_the_model_may_ask_for_another_timeout() {
    let started = Instant::now();
    let result = call(&Shell::new(), json!({"command": "sleep 30", "timeout_sec": 1})).await;
    assert!(error(result, ErrorKind::Timeout).contains("within 1s"));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a6_a_dropped_call_leaves_nothing_running() {
    let mark = mark("drop");
    let command = format!("(sleep 3; touch {0}) & sleep 3; touch {0}", mark.display());
    let shell = Shell::new();
    let dropped = tokio::time::timeout(Duration::from_millis(300), run(&shell, &command)).await;
    assert!(dropped.is_err());
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    assert!(!mark.exists(), "a grandchild lived on");
}

#[tokio::test]
async fn a6_a_background_job_that_holds_the_pipe_does_not_hang_the_call() {
    let mark = mark("background");
    let started = Instant::now();
    let command = format!("(sleep 3; touch {}) & echo done", mark.display());
    assert_eq!(run(&Shell::new(), &command).await.unwrap().to_text(), "done\n");
    assert!(started.elapsed() < Duration::from_millis(2_500), "{:?}", started.elapsed());
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    assert!(!mark.exists(), "the background job lived on");
}

#[tokio::test]
async fn a6_a_command_that_closes_its_output_is_waited_for() {
    let started = Instant::now();
    let output = run(&Shell::new(), "echo begun; exec >&- 2>&-; sleep 0.4; exit 0").await.unwrap();
    assert_eq!(output.to_text(), "begun\n");
    assert!(started.elapsed() >= Duration::from_millis(400));
}

#[tokio::test]
async fn a6_commands_do_not_see_the_environment() {
    // Cargo sets this one for every test.
    let secret = "echo \"${CARGO_MANIFEST_DIR-none} ${HOME:+home} ${GIVEN-none}\"";
    let shown = async |shell: Shell| run(&shell, secret).await.unwrap().to_text().into_owned();
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && std::env::var_os("HOME").is_some());
    assert_eq!(shown(Shell::new()).await, "none home none\n");
    assert_eq!(shown(Shell::new().env("GIVEN", "this").env_clear()).await, "none  this\n");
    let all = shown(Shell::new().env_inherit()).await;
    assert_eq!(all, format!("{} home none\n", env!("CARGO_MANIFEST_DIR")));
}

#[tokio::test]
async fn a6_a_directory_is_taken_from_the_agents() {
    let base = std::env::temp_dir().canonicalize().unwrap();
    let inner = base.join(format!("onionskin-shell-dir-{}", std::process::id()));
    std::fs::create_dir_all(&inner).unwrap();
    let shell = Shell::new().cwd(&base);
    let asked = json!({"command": "pwd -P", "cwd": inner.file_name().unwrap().to_str()});
    let there = call(&shell, asked).await;
    let here = run(&shell, "pwd -P").await;
    std::fs::remove_dir(&inner).unwrap();
    assert_eq!(there.unwrap().to_text(), format!("{}\n", inner.display()));
    assert_eq!(here.unwrap().to_text(), format!("{}\n", base.display()));
    let text = error(call(&shell, json!({"command": "pwd", "cwd": "no-such"})).await, ErrorKind::Failed);
    assert!(text.contains("no-such") && text.contains("No such file"), "{text}");
}

#[tokio::test]
async fn a6_wrong_arguments_are_all_reported_and_nothing_runs() {
    let mark = mark("args");
    let args = json!({"comand": format!("touch {}", mark.display()), "cwd": 3, "timeout_sec": 0});
    let text = error(call(&Shell::new(), args).await, ErrorKind::Arguments);
    for wrong in ["comand", "`command`", "`cwd`", "`timeout_sec`"] {
        assert!(text.contains(wrong), "{text}");
    }
    assert!(!mark.exists());
}

#[test]
fn a6_it_is_never_repeated_and_says_that_it_destroys() {
    let tool = execute();
    let definition = tool.definition();
    assert_eq!((&*definition.name, definition.effect), ("shell.execute", Effect::Once));
    assert_eq!(definition.annotations.destructive, Some(true));
    let schema = &definition.input_schema;
    assert_eq!(schema["required"], json!(["command"]));
    assert_eq!(schema["additionalProperties"], json!(false));
}

struct Worker;

impl Agent for Worker {
    const NAME: &'static str = "worker";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().runtime_tool(execute())
    }
}

#[tokio::test]
async fn h4_an_agent_calls_it_as_a_runtime_tool() {
    let script = ScriptedModel::turns([
        ScriptedTurn::call("shell_execute", json!({"command": "echo $((6 * 7))"})),
        ScriptedTurn::say("{last}"),
    ]);
    let output = Worker::builder().model(script).run("6 * 7?").await.unwrap();
    assert_eq!(output.text, "42\n");
    let call = &output.tool_calls[0];
    assert_eq!(
        (&*call.tool, call.source, call.outcome),
        ("shell.execute", Some(ToolSource::Runtime), Some(CallOutcome::Ok))
    );
}

#[test]
fn t8_debug_shows_no_value_of_a_variable() {
    let shell = Shell::new().env("KEY", "hunter2-hunter2");
    let shown = format!("{shell:?} {:?}", onionskin::Tool::definition(&shell));
    assert!(shown.contains("KEY") && !shown.contains("hunter2"), "{shown}");
}

/// Refuses each call.
#[tool_hook]
fn deny() -> ToolResult<()> {
    Err("not allowed".into())
}

agent! {
    Guarded { instruction: "Run.", tool_hooks: [deny for [source(runtime)]] }
    Free { instruction: "Run." }
}

/// With settings of its own it is a value, which is added as any other tool.
#[tokio::test]
async fn h4_it_is_a_runtime_tool_however_it_is_added() {
    let script = ScriptedModel::turns([
        ScriptedTurn::call("shell_execute", json!({ "command": "echo ran" })),
        ScriptedTurn::say("{last}"),
    ]);
    let output = Guarded::builder().model(script).tool(Shell::new()).run("Run.").await.unwrap();
    assert_eq!(output.text, "not allowed");
    assert_eq!(output.tool_calls[0].source, Some(ToolSource::Runtime));
}

#[tokio::test]
async fn t8_the_value_of_a_variable_that_is_named_like_a_key_is_a_secret() {
    let shell = Shell::new().env("API_TOKEN", "hunter2-hunter2").env("FOLDER", "hunter3-hunter3");
    for (command, wanted) in [
        ("echo $API_TOKEN $FOLDER", "[secret] hunter3-hunter3\n"),
        ("echo $API_TOKEN >&2; exit 1", "Exit status 1.\n[standard error]\n[secret]\n"),
        ("printf $API_TOKEN | base64", "[secret]\n"),
    ] {
        let script = ScriptedModel::turns([
            ScriptedTurn::call("shell_execute", json!({ "command": command })),
            ScriptedTurn::say("{last}"),
        ]);
        let output = Free::builder().model(script).tool(shell.clone()).run("Run.").await.unwrap();
        assert_eq!(output.text, wanted, "{command}");
    }
}
