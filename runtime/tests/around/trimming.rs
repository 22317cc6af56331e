//! A9: the ready-made turn hooks that show the model a part of the conversation.

use std::sync::Arc;

use onionskin::content::Resource;
use onionskin::model::{
    History, Message, ModelRequest, ModelResponse, ToolCall, ToolChoice, ToolResultMessage,
};
use onionskin::turn_hooks::{TurnRequest, choose_tool, last_inputs, last_tokens};
use onionskin::{ScriptedModel, ScriptedTurn, agent, tool, turn_hooks};
use proptest::prelude::*;
use serde_json::json;

/// Messages by letters: `u` of the user, `a` an answer, `c` an answer with two calls and their results.
pub(crate) fn conversation(letters: &[(char, usize)]) -> History {
    let mut history = History::new();
    for (index, (letter, size)) in letters.iter().enumerate() {
        let text = format!("{index}{}", "x".repeat(*size));
        match letter {
            'u' => history.push(Message::user(text)),
            'a' => history.push(Message::assistant(text)),
            _ => {
                let calls = [0, 1].map(|call| ToolCall::new(format!("{index}_{call}"), "look_up", "{}"));
                let results =
                    calls.clone().map(|call| ToolResultMessage::new(call.id, call.name, [(&*text).into()]));
                history.push(ModelResponse::tool_calls(calls).into());
                history.push(Message::tool(results));
            }
        }
    }
    history
}

fn shown(letters: &str, hook: impl Fn(&mut TurnRequest)) -> String {
    let letters: Vec<_> = letters.chars().map(|letter| (letter, 39)).collect();
    let mut request = TurnRequest::new(ModelRequest::new(conversation(&letters)));
    hook(&mut request);
    let letter = |message: &Message| match message {
        Message::User { .. } => "u",
        Message::Assistant { tool_calls, .. } if tool_calls.is_empty() => "a",
        Message::Assistant { .. } => "c",
        Message::Tool { .. } => "r",
    };
    request.messages().iter().map(letter).collect()
}

#[test]
fn a9_the_newest_inputs_are_shown_with_all_that_follows() {
    let last = |inputs| move |request: &mut TurnRequest| last_inputs(inputs, request).unwrap();
    assert_eq!(shown("uauccau", last(2)), "ucrcrau");
    assert_eq!(shown("uauccau", last(1)), "u");
    assert_eq!(shown("uauccau", last(0)), "u");
    assert_eq!(shown("uauccau", last(9)), "uaucrcrau");
    assert_eq!(shown("acc", last(1)), "acrcr");
}

#[test]
fn a9_the_newest_tokens_are_shown_from_an_input_on() {
    let last = |tokens| move |request: &mut TurnRequest| last_tokens(tokens, request).unwrap();
    // A message has 14 tokens here.
    assert_eq!(shown("uauau", last(14)), "u");
    assert_eq!(shown("uauau", last(41)), "u");
    assert_eq!(shown("uauau", last(42)), "uau");
    assert_eq!(shown("uauau", last(70)), "uauau");
    // The newest input does not fit with all that follows it.
    assert_eq!(shown("uaucccc", last(0)), "ucr");
    assert_eq!(shown("uaucccc", last(110)), "ucr");
    assert_eq!(shown("uaucccc", last(120)), "ucrcr");
}

proptest! {
    #[test]
    fn a9_a_call_is_never_split_from_its_result(
        letters in prop::collection::vec((prop::sample::select(vec!['u', 'a', 'c']), 0_usize..80), 0..30),
        most in 0_usize..300,
    ) {
        let history = conversation(&letters);
        let mut by_tokens = TurnRequest::new(ModelRequest::new(history.clone()));
        // What splits a call is an error.
        prop_assert!(last_tokens(most, &mut by_tokens).is_ok());
        let mut by_inputs = TurnRequest::new(ModelRequest::new(history.clone()));
        prop_assert!(last_inputs(most % 5, &mut by_inputs).is_ok());
        for kept in [by_tokens.messages(), by_inputs.messages()] {
            // The newest message stays, and the order.
            prop_assert_eq!(kept.last(), history.last());
            let mut all = history.iter();
            prop_assert!(kept.iter().all(|message| all.any(|other| other == message)));
        }
    }
}

/// A conversation whose user messages after the first one were put there by the runtime.
fn repeated_question() -> History {
    let stored = json!([
        { "role": "user", "content": [{ "type": "text", "text": "How warm is it?" }] },
        { "role": "assistant", "text": "warm" },
        { "role": "user", "content": [{ "type": "text", "text": "Invalid answer." }], "by_runtime": true },
    ]);
    serde_json::from_value(stored).unwrap()
}

#[test]
fn a9_messages_of_the_runtime_are_no_inputs() {
    let history = repeated_question();
    assert_eq!(history.iter().map(Message::is_input).collect::<Vec<_>>(), [true, false, false]);
    let mut request = TurnRequest::new(ModelRequest::new(history.clone()));
    last_inputs(1, &mut request).unwrap();
    assert_eq!(*request.messages(), history);
    let mut request = TurnRequest::new(ModelRequest::new(history.clone()));
    last_tokens(1, &mut request).unwrap();
    assert_eq!(*request.messages(), history);
    // A provider, and a record of a journal, know no such mark.
    let json = serde_json::to_value(ModelRequest::new(history)).unwrap();
    assert_eq!(json["messages"][2].as_object().unwrap().len(), 2);
}

#[test]
fn a9_an_attached_text_counts_by_its_length() {
    let history = || {
        let notes = Resource::text("file:///notes.md", "x".repeat(1_000_000));
        let with_notes = Message::user_content(["Sum it up.".into(), notes.into()]);
        History::from([with_notes, Message::assistant("Done."), Message::user("Thanks.")])
    };
    let mut request = TurnRequest::new(ModelRequest::new(history()));
    last_tokens(5_000, &mut request).unwrap();
    assert_eq!(request.messages().len(), 1);
    let mut request = TurnRequest::new(ModelRequest::new(history()));
    last_tokens(251_000, &mut request).unwrap();
    assert_eq!(request.messages().len(), 3);
}

/// A report.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Report {
    degrees: i64,
}

agent! {
    Helper { name: "helper", description: "Helps.", instruction: "Help." }
    Merging {
        instruction: "Ask.",
        agents: [Helper],
        history_merge_target: orchestrator,
        turn_hooks: [turn_hooks::last_inputs(1)],
    }
}

#[tokio::test]
async fn a9_a_question_stays_when_its_answer_is_asked_for_again() {
    let turns = [ScriptedTurn::say("warm"), ScriptedTurn::say(r#"{"degrees": 21}"#)];
    let model = Arc::new(ScriptedModel::turns(turns));
    let clerk = Clerk::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = clerk.session();
    let run = clerk.request("How warm is it?").session(&session).run_as::<Report>().await.unwrap();
    assert_eq!(run.answer.degrees, 21);
    let asked = &model.requests()[1].messages;
    assert_eq!((asked.len(), &*asked[0].to_text()), (3, "How warm is it?"));
    // A saved session knows which message was no input.
    let stored = serde_json::to_string(&session.save()).unwrap();
    session.restore(serde_json::from_str(&stored).unwrap()).unwrap();
    let inputs: Vec<_> = session.history().iter().map(Message::is_input).collect();
    assert_eq!(inputs, [true, false, false, false]);
}

#[tokio::test]
async fn a9_a_question_stays_behind_the_conversations_of_children() {
    let asks = ScriptedTurn::call("agent__helper", json!({ "input": "Help me." }));
    // A script counts all answers of a conversation, those of merged ones too.
    let turns = [asks, ScriptedTurn::say("-"), ScriptedTurn::say("Done.")];
    let model = ScriptedModel::new().agent("Merging", turns).agent("helper", [ScriptedTurn::say("Helped.")]);
    let model = Arc::new(model);
    Merging::builder().model(Arc::clone(&model)).run("What now?").await.unwrap();
    let asked = &model.requests()[2].messages;
    assert_eq!((asked.len(), &*asked[0].to_text()), (6, "What now?"));
}

agent! {
    Clerk { instruction: "Answer.", turn_hooks: [turn_hooks::last_inputs(1)] }
    Chooses { instruction: "Answer.", function_tools: [look_up], turn_hooks: [choose_tool(2, ToolChoice::None)] }
}

/// Looks something up.
#[tool]
fn look_up() -> &'static str {
    "found"
}

#[tokio::test]
async fn a9_a_session_keeps_what_the_model_is_not_shown() {
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("One."), ScriptedTurn::say("Two.")]));
    let clerk = Clerk::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = clerk.session();
    for input in ["First.", "Second."] {
        clerk.request(input).session(&session).run().await.unwrap();
    }
    assert_eq!(session.history().len(), 4);
    assert_eq!(model.requests()[1].messages.len(), 1);
    assert_eq!(model.requests()[1].messages[0].to_text(), "Second.");
}

#[tokio::test]
async fn a9_a_choice_of_tools_is_set_in_its_turn() {
    let turns = [ScriptedTurn::call("look_up", json!({})), ScriptedTurn::say("{last}")];
    let model = Arc::new(ScriptedModel::turns(turns));
    Chooses::builder().model(Arc::clone(&model)).run("Go.").await.unwrap();
    let choices: Vec<_> = model.requests().iter().map(|request| request.params.tool_choice.clone()).collect();
    assert_eq!(choices, [ToolChoice::Auto, ToolChoice::None]);

    // Turns count from 1, so 0 is the first one too.
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("Done.")]));
    let chooses =
        Chooses::builder().model(Arc::clone(&model)).turn_hook(choose_tool::new(0, ToolChoice::None));
    chooses.run("Go.").await.unwrap();
    assert_eq!(model.requests()[0].params.tool_choice, ToolChoice::None);
}
