//! Hooks on messages, and UI tools, in scripts.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use onionskin::content::{ContentBlock, Resource};
use onionskin::question::{Answer, Question};
use onionskin::rhai::{ScriptMessageHook, from_code, message_hook_from_code, ui_tool_from_code};
use onionskin::ui::UiMode;
use onionskin::{RunError, RunOutput, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

/// Says a text.
#[tool]
fn say(text: &str) -> String {
    text.to_owned()
}

agent! { Clerk { instruction: "Answer.", function_tools: [say] } }

fn hook(script: &str) -> ScriptMessageHook {
    message_hook_from_code(script).unwrap()
}

/// Calls the tool with the input, and says the last message.
fn model() -> ScriptedModel {
    ScriptedModel::turns([
        ScriptedTurn::call("say", json!({ "text": "{input}!" })),
        ScriptedTurn::say("{last}"),
    ])
}

async fn run(script: &str) -> Result<RunOutput, RunError> {
    Clerk::builder().model(model()).message_hook(hook(script)).run("one").await
}

async fn text(script: &str) -> String {
    match run(script).await {
        Ok(output) => output.text,
        Err(error) => format!("error: {error}"),
    }
}

#[tokio::test]
async fn a10_a_script_changes_or_drops_messages_before_they_are_sent() {
    let marks =
        "fn f(sender, message, recipient, silent) { `${message} (${sender} to ${recipient} ${silent})` }";
    let to_clerk = "one (user to Clerk false)";
    assert_eq!(text(marks).await, format!("{to_clerk}! (Clerk to user false)"));
    let drops =
        "fn f(sender, message, recipient, silent) { if sender == \"Clerk\" { false } else { message } }";
    let error = run(drops).await.unwrap_err();
    assert!(matches!(&error, RunError::MessageDropped { .. }), "{error}");
    for (end, words) in [
        (
            "message.replace(\"a\", \"b\");",
            "cannot be used: end it with `message`, or with `false` to drop the message",
        ),
        ("true", "cannot be used: end it with `message`, or with `false` to drop the message"),
        ("throw \"no secrets\"", "failed in `process_message_before_send`: no secrets"),
        ("message.nothing", "the script of `f` failed at 1:"),
        ("loop { }", "the script of `f` failed: it took more than 1000000 operations"),
    ] {
        let said = text(&format!("fn f(sender, message, recipient, silent) {{ {end} }}")).await;
        assert!(
            said.starts_with("error: the message hook `f` of the agent `Clerk` failed")
                && said.contains(words),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a10_a_script_sees_each_text_of_an_attachment() {
    let file = Resource::text("file:///notes.md", "the key k-17");
    let script = "fn f(sender, message, recipient, silent) { message.replace(\"k-17\", \"[key]\"); message }";
    let model = std::sync::Arc::new(ScriptedModel::turns([ScriptedTurn::say("Done.")]));
    let clerk = Clerk::builder().model(std::sync::Arc::clone(&model)).message_hook(hook(script));
    let parts = [ContentBlock::text("it is k-17"), file.into(), ContentBlock::text("and k-17")];
    clerk.run(parts).await.unwrap();
    let sent = serde_json::to_string(&model.requests()[0].messages).unwrap();
    assert!(!sent.contains("k-17") && sent.matches("[key]").count() == 3, "{sent}");
}

#[tokio::test]
async fn a10_a_script_changes_what_the_model_reads_in_a_turn() {
    let last = "fn f(message) { if message == \"one!\" { \"two\" } else { message } }";
    assert_eq!(text(last).await, "two");
    let all = "fn f(messages) { if messages[-1].role == \"tool\" { messages[-1].results[0].content[0].text = \"three\"; } messages }";
    assert_eq!(text(all).await, "three");
    assert_eq!(text("fn f(messages) { messages }").await, "one!");
    let said = text("fn f(messages) { messages.clear(); messages }").await;
    assert!(said.contains("`process_all_messages_before_reply`"), "{said}");
    let said = text("fn f(messages) { [#{ role: \"boss\" }] }").await;
    assert!(said.contains("unknown variant `boss`") && said.ends_with("end it with `messages`"), "{said}");
    let said = text("fn f(message) { false }").await;
    assert!(said.ends_with("cannot be used: end it with `message`"), "{said}");
}

#[tokio::test]
async fn a10_a_script_updates_the_state_of_the_session() {
    let script = "fn f(state, messages) { if \"turns\" in state { state.turns += 1; } else { state.turns = 1; } state.remove(\"kept\"); state }";
    let clerk = Clerk::builder().model(model()).message_hook(hook(script)).build().await.unwrap();
    let session = clerk.session();
    session.state().set("kept", 1);
    clerk.request("one").session(&session).run().await.unwrap();
    assert_eq!(session.state().to_value(), json!({ "kept": 1, "turns": 2 }));
    let said = text("fn f(state, messages) { state.count = 1; }").await;
    assert!(said.ends_with("cannot be used: end it with `state`"), "{said}");
}

#[test]
fn a10_the_parameters_of_a_script_say_its_place() {
    let place = |script: &str| {
        message_hook_from_code(script).map(|hook| hook.place()).map_err(|error| error.to_string())
    };
    assert_eq!(place("fn f(state, messages) { state }").unwrap(), "update_agent_state");
    assert_eq!(place("fn f(message) { message }").unwrap(), "process_last_received_message");
    let error = place("// A hook.\n fn f(ctx, args) { call_next(args) }").unwrap_err();
    assert!(error.starts_with("2:20: there is no function `call_next` here"), "{error}");
    let error = place("fn f(ctx, args) { args }").unwrap_err();
    assert!(
        error.ends_with("this is `fn f(ctx, args)`")
            && error.contains("`fn f(state, messages)` for `update_agent_state`"),
        "{error}"
    );
}

const ASKS: &str = "/// Asks.\nfn ask() { let a = use_ui_tool(\"a\", \"W\", #{ n: 1 }); let b = use_ui_tool(\"b\", \"W\", a); [a, b] }";

#[tokio::test]
async fn u1_a_script_shows_its_component_and_waits_for_the_answer() {
    let ask = |script: &str| ui_tool_from_code(script, "Box", UiMode::Artifact).unwrap();
    let run = async |script: &str| {
        let model = ScriptedModel::turns([ScriptedTurn::call("ask", json!({})), ScriptedTurn::say("{last}")]);
        let person = |question: Question| async move {
            let onionskin::question::QuestionKind::Component(shown) = question.kind() else { return None };
            if shown.tool_id() == "no" {
                return Some(Answer::Declined(Some("not now".to_owned())));
            }
            Answer::value(format!("{}/{}", shown.tool_id(), shown.payload())).ok()
        };
        Clerk::builder().model(model).tool(ask(script)).answerer(person).run("Ask.").await.unwrap().text
    };
    assert_eq!(run(ASKS).await, r#"["a/{\"n\":1}","b/\"a/{\\\"n\\\":1}\""]"#);
    let declined = run("/// Asks.\nfn ask() { use_ui_tool(\"no\", \"W\", 1) }").await;
    assert!(declined.contains("not now"), "{declined}");
    let caught =
        run("/// Asks.\nfn ask() { try { return use_ui_tool(\"no\", \"W\", 1); } catch { return \"never mind\"; } }").await;
    assert_eq!(caught, "never mind");
    let nameless = run("/// Asks.\nfn ask() { use_ui_tool(\"a\", \"\", 1) }").await;
    assert!(nameless.contains("workflow"), "{nameless}");
    let wrong = run("/// Asks.\nfn ask() { use_ui_tool(1, \"W\", 1) }").await;
    assert!(
        wrong.contains("it takes the id of the tool, the name of the workflow, and a payload"),
        "{wrong}"
    );
    let error = from_code(ASKS).unwrap_err().to_string();
    assert!(error.starts_with("2:20: there is no function `use_ui_tool` here"), "{error}");
}

#[tokio::test]
async fn u1_a_script_of_a_resumed_run_gets_its_earlier_answers_again() {
    let tool = ui_tool_from_code(ASKS, "Box", UiMode::Inline).unwrap();
    let model = ScriptedModel::turns([ScriptedTurn::call("ask", json!({})), ScriptedTurn::say("{last}")]);
    let clerk = Clerk::builder().model(model).tool(tool).build().await.unwrap();
    let mut result = clerk.run("Ask.").await;
    for answer in ["x", "y"] {
        let Err(RunError::Paused(paused)) = result else { panic!("{result:?}") };
        let [question] = paused.questions() else { panic!("{paused:?}") };
        result = clerk.resume(&paused).answer(question.key(), Answer::value(answer).unwrap()).run().await;
    }
    assert_eq!(result.unwrap().text, r#"["x","y"]"#);
}
