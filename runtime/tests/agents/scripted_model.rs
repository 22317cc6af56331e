//! The scripted model: which turn it plays, what it fills in, and scripts from YAML.

use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ScriptedModelError, StopReason,
    ToolCallDelta,
};
use onionskin::{ScriptedModel, ScriptedTurn};
use serde_json::json;

async fn ask(
    script: &ScriptedModel,
    agent: &str,
    messages: Vec<Message>,
) -> Result<ModelResponse, ModelError> {
    let mut request = ModelRequest::new([Message::user("")]).with_agent(agent);
    request.messages = messages.into();
    script.respond(&request, &mut |_| {}).await
}

#[tokio::test]
async fn o3_the_conversation_alone_chooses_the_turn() {
    let script = ScriptedModel::new()
        .agent("a", [ScriptedTurn::say("first"), ScriptedTurn::say("second")])
        .agent("*", [ScriptedTurn::say("anyone")]);
    let begun = || vec![Message::user("hi")];
    let later = || vec![Message::user("hi"), Message::assistant("first"), Message::user("and?")];
    assert_eq!(ask(&script, "a", later()).await.unwrap().text, "second");
    assert_eq!(ask(&script, "a", begun()).await.unwrap().text, "first");
    assert_eq!(ask(&script, "b", begun()).await.unwrap().text, "anyone");
    let error = ask(&script, "b", later()).await.unwrap_err();
    assert!(
        error.to_string().starts_with("the script of the agent `b` has no turn 2 (it has 1): "),
        "{error}"
    );
    let ModelError::Script(ScriptedModelError::Ended { agent, turns, requested, shared, .. }) = error else {
        panic!("{error}");
    };
    assert_eq!((agent.as_str(), turns, requested, shared), ("b", 1, 2, false));
    assert_eq!(script.requests().len(), 4);
}

#[tokio::test]
async fn o3_turns_that_were_not_played_are_an_error_of_finish() {
    let script = ScriptedModel::new()
        .agent("b", [ScriptedTurn::say("first"), ScriptedTurn::say("second"), ScriptedTurn::say("third")])
        .agent("*", [ScriptedTurn::say("anyone")]);
    ask(&script, "a", vec![Message::user("hi")]).await.unwrap();
    ask(&script, "b", vec![Message::user("hi")]).await.unwrap();
    let error = script.finish().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the script of the agent `b` has turns that were not played: 2, 3; the run ended sooner than the script expects, or \
         the turns can be removed"
    );
    assert_eq!(format!("{error:?}"), error.to_string(), "a test that returns the error shows it so");
    for answers in 1..3 {
        ask(&script, "b", (0..answers).map(|_| Message::assistant("first")).collect()).await.unwrap();
    }
    script.finish().unwrap();
    // One answer too many is the error of the request, and not of `finish`.
    ask(&script, "c", vec![Message::assistant("first")]).await.unwrap_err();
    script.finish().unwrap();
    let error = ScriptedModel::turns([ScriptedTurn::say("anyone")]).finish().unwrap_err();
    assert!(matches!(error, ScriptedModelError::Unplayed { agent, .. } if agent == "*"));
}

#[tokio::test]
async fn o3_an_agent_that_is_not_there_is_reported_with_the_others() {
    let script = ScriptedModel::new().agent("b", []).agent("a", []);
    let error = ask(&script, "c", vec![]).await.unwrap_err();
    assert_eq!(error.to_string(), "the script has no turns for the agent `c`; it has: a, b");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn o3_text_is_filled_in_once() {
    let script = ScriptedModel::turns([
        ScriptedTurn::say("one"),
        ScriptedTurn::say("{input} / {last} / {other} / {input"),
    ]);
    let messages = vec![Message::user("old"), Message::assistant("one"), Message::user("new {last}")];
    let mut pieces = String::new();
    let mut request = ModelRequest::new([Message::user("")]).with_agent("a");
    request.messages = messages.into();
    let mut note = |delta| {
        if let ModelDelta::Text(text) = delta {
            pieces.push_str(&text);
        }
    };
    let answer = script.respond(&request, &mut note).await.unwrap();
    assert_eq!(answer.text, "new {last} / new {last} / {other} / {input");
    assert_eq!(pieces, answer.text);
    assert_eq!(answer.stop, StopReason::Done);
}

#[tokio::test]
async fn o3_calls_are_passed_on_in_pieces() {
    let turn = ScriptedTurn::call_unknown("f", json!({ "text": "one two", "x": [1] }));
    let script = ScriptedModel::turns([turn.and_call_unknown("g", json!(""))]);
    let request = ModelRequest::new([Message::user("")]).with_agent("a");
    let mut pieces = Vec::new();
    script.respond(&request, &mut |delta| pieces.push(delta)).await.unwrap();
    let piece = |id: &str, name: &str, text: &str| ModelDelta::ToolCall(ToolCallDelta::new(id, name, text));
    let of_f = ["{", "\"text\":", "\"one ", "two\",", "\"x\":", "[", "1]}"];
    let mut expected: Vec<_> = of_f.iter().map(|text| piece("call_1_1", "f", text)).collect();
    expected.push(piece("call_1_2", "g", ""));
    assert_eq!(pieces, expected);
}

#[tokio::test(start_paused = true)]
async fn o3_turns_call_wait_and_fail() {
    let mut waits = ScriptedTurn::call_unknown("f", json!({"x": 1})).and_call_unknown("g", json!("{broken"));
    waits.wait_ms = 5_000;
    let script = ScriptedModel::new().agent("a", [waits]).agent("b", [ScriptedTurn::fail(503)]);
    let started = tokio::time::Instant::now();
    let answer = ask(&script, "a", vec![]).await.unwrap();
    assert_eq!(started.elapsed().as_millis(), 5_000);
    let calls: Vec<_> = answer.tool_calls.iter().map(|call| (&*call.id, &*call.arguments)).collect();
    assert_eq!(calls, [("call_1_1", r#"{"x":1}"#), ("call_1_2", "{broken")]);
    assert_eq!(answer.stop, StopReason::ToolCalls);
    let error = ask(&script, "b", vec![]).await.unwrap_err();
    assert!(matches!(error, ModelError::Status { status: 503, .. }) && error.is_transient(), "{error:?}");
}

#[cfg(feature = "yaml")]
mod yaml {
    use super::*;

    const GOOD: &str = "\
# The manager asks the clock.
manager:
  - say: Let me see.
    calls:
      - tool: time__get_current_time
        args: {timezone: America/New_York, deep: [1, 2.5, true, null]}
        unknown: true
      - tool: broken
        args: '{\"x\": '
        unknown: true
      - tool: bare
        unknown: true
  - say: |
      It is
      {last}.
    wait_ms: 1
'*':
  - fail: 503
";

    fn error(text: &str) -> String {
        ScriptedModel::from_yaml(text, "play.yaml").unwrap_err().to_string()
    }

    #[tokio::test]
    async fn o3_a_file_plays_like_code() {
        let script = ScriptedModel::from_yaml(GOOD, "play.yaml").unwrap();
        let answer = ask(&script, "manager", vec![]).await.unwrap();
        assert_eq!(answer.text, "Let me see.");
        let calls: Vec<_> = answer.tool_calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
        let arguments = serde_json::from_str::<serde_json::Value>(calls[0].1).unwrap();
        assert_eq!(arguments, json!({"timezone": "America/New_York", "deep": [1, 2.5, true, null]}));
        assert_eq!(calls[1..], [("broken", "{\"x\": "), ("bare", "{}")]);
        let answer = ask(&script, "manager", vec![Message::assistant(""), Message::user("9")]).await.unwrap();
        assert_eq!(answer.text, "It is\n9.\n");
        let error = ask(&script, "someone", vec![]).await.unwrap_err();
        assert!(matches!(error, ModelError::Status { status: 503, .. }), "{error:?}");
    }

    #[test]
    fn o3_an_unknown_field_is_reported_with_its_place_and_the_nearest() {
        assert_eq!(
            error("a:\n  - say: hi\n    wait_sm: 3\n"),
            "play.yaml:3:5: unknown field `wait_sm`. Did you mean `wait_ms`? There are: `say`, `calls`, `wait_ms`, \
             `fail`, `usage`"
        );
        assert_eq!(
            error("a:\n  - calls:\n      - tool: f\n        argz: {}\n"),
            "play.yaml:4:9: unknown field `argz`. Did you mean `args`? There are: `tool`, `args`, `unknown`"
        );
    }

    #[test]
    fn o3_other_mistakes_are_reported_with_their_place() {
        let cases = [
            ("a:\n  - calls:\n      - args: {}\n", "play.yaml:3:9: the field `tool` is missing"),
            ("a:\n  - wait_ms: soon\n", "play.yaml:2:14: expected a value of the type u64"),
            ("a:\n  - say: hi\n    say: ho\n", "play.yaml:3:5: `say` is given twice"),
            ("a:\n  - say: hi\na:\n  - say: ho\n", "play.yaml:3:1: `a` is given twice"),
            ("a: [\n", "play.yaml:"),
            ("- a\n", "play.yaml:1:1: "),
            ("a:\n  - fail: 503\n    say: hi\n", "play.yaml:2:5: a turn with `fail` has no answer"),
            ("a:\n  - fail: 200\n", "play.yaml:2:5: `fail: 200` is not an HTTP error status"),
        ];
        for (text, wanted) in cases {
            let error = error(text);
            assert!(error.starts_with(wanted), "{text}\n{error}");
            assert!(!error.contains(" at line "), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn o3_a_file_that_is_not_there_is_named() {
        let error = ScriptedModel::from_yaml_file("no/such/play.yaml").unwrap_err();
        assert!(
            matches!(&error, ScriptedModelError::File { file, .. } if file == "no/such/play.yaml"),
            "{error:?}"
        );
    }

    #[test]
    fn o3_a_file_is_read() {
        let path = std::env::temp_dir().join(format!("onionskin-script-{}.yaml", std::process::id()));
        std::fs::write(&path, GOOD).unwrap();
        let read = ScriptedModel::from_yaml_file(&path);
        std::fs::remove_file(&path).unwrap();
        read.unwrap();
    }
}
