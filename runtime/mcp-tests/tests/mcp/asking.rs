//! Servers that ask a person while a call runs.

use std::sync::Mutex;
use std::time::Duration;

use onionskin::content::ContentBlock;
use onionskin::mcp::ServerConfig;
use onionskin::question::{Answer, AskError, Question, QuestionKind};
use onionskin::{Args, Exit, Next, RunError, ScriptedModel, ScriptedTurn, ToolResult, agent, tool_hook};
use serde_json::{Value, json};

use super::fixture::{Log, server};

/// Notes the causes of errors.
#[tool_hook]
async fn note_causes(args: &mut Args, next: impl Next) -> ToolResult {
    let result = next.run(args).await;
    if let Err(exit) = &result
        && let Some(error) = exit.as_tool_error()
    {
        let is_ask = |cause: &(dyn std::error::Error + 'static)| {
            matches!(cause.downcast_ref(), Some(AskError::NoAnswerer { .. }))
        };
        if error.causes().any(is_ask) {
            return Err(Exit::tool(format!("{} [no answerer]", error.to_text())));
        }
    }
    result
}

agent! {
    Asker {
        instruction: "Call.",
        servers: [fix],
        tool_hooks: [note_causes],
    }
}

fn asking(log: &Log) -> ServerConfig {
    server("raw asks", log).asks()
}

fn call(tool: &str, params: &Value) -> ScriptedTurn {
    ScriptedTurn::call(format!("fix__{tool}"), json!({ "params": params }))
}

fn script(tool: &str, params: &Value) -> ScriptedModel {
    ScriptedModel::turns([call(tool, params), ScriptedTurn::say("{last}")])
}

/// A form that asks for a size, with a colour that can be left out.
fn size() -> Value {
    json!({
        "message": "Which size?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "size": { "type": "integer", "minimum": 1 },
                "colour": { "type": "string", "enum": ["red", "blue"], "default": "blue" },
            },
            "required": ["size", "colour"],
        },
    })
}

/// The text of a run whose questions are answered so.
async fn answered(
    config: ServerConfig,
    model: ScriptedModel,
    answer: fn(&Question) -> Option<Answer>,
) -> String {
    let answerer = move |question: Question| async move { answer(&question) };
    let agent = Asker::builder().model(model).server("fix", config).answerer(answerer).build().await.unwrap();
    let text = agent.run("Go.").await.unwrap().text;
    agent.shutdown().await;
    text
}

#[tokio::test]
async fn a4_a_server_asks_a_person_by_a_question_of_its_call() {
    let log = Log::new("asks");
    let text = answered(asking(&log), script("ask", &size()), |question| {
        assert_eq!(*question.kind(), QuestionKind::Question);
        assert_eq!(question.tool_name(), "fix__ask");
        assert_eq!(question.text(), Some("the MCP server `fix` asks: Which size?"));
        assert!(question.check(&Answer::value(json!({ "size": 0 })).unwrap()).is_err());
        assert!(question.check(&Answer::value(json!({ "size": 41, "colour": "green" })).unwrap()).is_err());
        Answer::value(json!({ "size": 41 })).ok()
    })
    .await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer, json!({ "action": "accept", "content": { "size": 41, "colour": "blue" } }));
    assert!(
        log.lines().contains(&r#"capabilities {"elicitation":{"form":{},"url":{}}}"#.to_owned()),
        "{:?}",
        log.lines()
    );
}

#[tokio::test]
async fn a4_a_person_who_declines_is_reported_to_the_server() {
    let declines = |_: &Question| Some(Answer::declined("no"));
    let text = answered(asking(&Log::new("declines")), script("ask", &size()), declines).await;
    assert_eq!(text, r#"{"action":"decline"}"#);
}

#[tokio::test]
async fn a4_a_server_asks_a_person_to_open_an_address_which_the_question_shows() {
    let url = "https://login.example.com/a?state=1";
    let params = json!({ "mode": "url", "message": "Log in\u{202e}", "url": url, "elicitationId": "e" });
    let text = answered(asking(&Log::new("address")), script("ask", &params), |question| {
        assert_eq!(
            question.text(),
            Some(
                "the MCP server `fix` asks you to open an address of `login.example.com` in a browser: \
                 https://login.example.com/a?state=1 (Log in\\u{202e})"
            )
        );
        Answer::value(true).ok()
    })
    .await;
    assert_eq!(text, r#"{"action":"accept"}"#);
    let refuses = |_: &Question| Answer::value(false).ok();
    let text = answered(asking(&Log::new("address-refused")), script("ask", &params), refuses).await;
    assert_eq!(text, r#"{"action":"decline"}"#);
}

#[tokio::test]
async fn a4_a_question_that_nobody_should_see_is_refused() {
    for (params, expected) in [
        (
            json!({ "mode": "url", "message": "", "url": "https://example.com@evil.example/" }),
            "hides the host",
        ),
        (json!({ "mode": "url", "message": "", "url": "file:///etc/passwd" }), "`https://` or `http://`"),
        (json!({ "mode": "telepathy", "message": "" }), "neither `form` nor `url`"),
        (json!({ "message": "x".repeat(100_000) }), "longer than 64 KiB"),
        (json!({ "message": "?" }), "no `requestedSchema`"),
        (json!({ "requestedSchema": {} }), "missing field `message`"),
        (json!([]), "message"),
    ] {
        let nobody = |question: &Question| panic!("{question:?}");
        let text = answered(asking(&Log::new("refused")), script("ask", &params), nobody).await;
        assert!(text.contains("-32602") && text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn a4_a_server_asks_at_most_ten_times_in_a_call() {
    static ASKED: Mutex<usize> = Mutex::new(0);
    let text = answered(asking(&Log::new("again")), script("ask_again", &size()), |question| {
        *ASKED.lock().unwrap() += 1;
        let is_first = !question.text().unwrap().contains("Again?");
        Answer::value(if is_first { json!({ "size": 1 }) } else { json!({}) }).ok()
    })
    .await;
    assert_eq!(*ASKED.lock().unwrap(), 10);
    assert!(text.contains("too many questions in one call"), "{text}");
}

#[tokio::test]
async fn a4_the_time_of_a_person_does_not_count_towards_the_limit_of_the_server() {
    let slow = |_: Question| async {
        tokio::time::sleep(Duration::from_millis(900)).await;
        Answer::value(json!({ "size": 1 })).ok()
    };
    let config = asking(&Log::new("slow-person")).timeout(Duration::from_millis(300));
    let builder = Asker::builder().model(script("ask", &size())).server("fix", config);
    let agent = builder.answerer(slow).build().await.unwrap();
    assert!(agent.run("Go.").await.unwrap().text.contains("accept"));
    agent.shutdown().await;
}

#[tokio::test]
async fn u3_a_call_that_may_be_repeated_pauses_with_the_question_and_is_made_again_with_the_answer() {
    for tool in ["ask_read_only", "ask_idempotent"] {
        let log = Log::new(&format!("pauses-{tool}"));
        // The other call must not wait for the one that waits for a person.
        let calls = call(tool, &size()).and_call("fix__echo", json!({}));
        let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
        let agent = Asker::builder().model(model).server("fix", asking(&log)).build().await.unwrap();
        let paused = tokio::time::timeout(Duration::from_secs(10), agent.run("Go.")).await.unwrap();
        let Err(RunError::Paused(paused)) = paused else { panic!("{paused:?}") };
        let [question] = paused.questions() else { panic!("{:?}", paused.questions()) };
        assert_eq!(question.text(), Some("the MCP server `fix` asks: Which size?"));
        log.wait_for("cancelled").await;
        let saved = serde_json::to_string(&paused).unwrap();
        let paused = serde_json::from_str(&saved).unwrap();
        let answer = Answer::value(json!({ "size": 41 })).unwrap();
        let output = agent.resume(&paused).answer(question.key(), answer).run().await.unwrap();
        let results: Vec<_> =
            output.tool_calls.iter().map(|call| ContentBlock::join(&call.content)).collect();
        assert!(results[0].contains(r#""size":41"#), "{results:?}");
        assert_eq!((log.count(tool), log.count("echo")), (2, 1));
        agent.shutdown().await;
    }
}

#[tokio::test]
async fn a4_a_call_that_takes_effect_once_goes_on_if_nobody_answers_its_server() {
    let log = Log::new("nobody");
    let builder = Asker::builder().model(script("ask", &size())).server("fix", asking(&log));
    let agent = builder.build().await.unwrap();
    let text = agent.run("Go.").await.unwrap().text;
    assert!(
        text.starts_with(
            "a question of the MCP server `fix` has no answer, and the server, which was told so, answered: "
        ) && text.contains(r#"{"action":"cancel"}"#)
            && text.contains("set `.answerer(..)`")
            && text.ends_with("[no answerer]"),
        "{text}"
    );
    assert_eq!(log.count("ask"), 1);
    agent.shutdown().await;
    // One that leaves the question open is no help either.
    let text = answered(asking(&Log::new("open")), script("ask", &size()), |_| None).await;
    assert!(text.ends_with("[no answerer]"), "{text}");
}

#[tokio::test]
async fn a4_a_server_that_may_not_ask_learns_so() {
    let log = Log::new("may-not-ask");
    let nobody = |question: &Question| panic!("{question:?}");
    let text = answered(server("raw asks", &log), script("ask", &size()), nobody).await;
    assert!(text.contains("-32601") && text.contains("may not ask a person (elicitation)"), "{text}");
    assert_eq!(log.lines().iter().filter(|line| *line == "capabilities {}").count(), 1);
    for (tool, expected) in [("ask_for_model", "(sampling)"), ("ask_for_folders", "(roots)")] {
        let text = answered(asking(&Log::new(tool)), script(tool, &size()), nobody).await;
        assert!(text.contains("-32601") && text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn a4_a_server_learns_the_folders_that_its_configuration_names() {
    let log = Log::new("folders");
    let config = server("raw asks", &log).roots(["/srv/my files", "/srv/b"]);
    let text = answered(config, script("ask_for_folders", &size()), |question| panic!("{question:?}")).await;
    let expected = json!({ "roots": [
        { "uri": "file:///srv/my%20files", "name": "my files" },
        { "uri": "file:///srv/b", "name": "b" },
    ] });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    assert!(log.lines().contains(&r#"capabilities {"roots":{}}"#.to_owned()), "{:?}", log.lines());
}

#[tokio::test]
async fn a4_a_question_that_may_belong_to_several_calls_is_refused() {
    let calls = ScriptedTurn::call("fix__wait", json!({}))
        .and_call("fix__ask_read_only", json!({ "params": size() }));
    let config = asking(&Log::new("several-calls")).timeout(Duration::from_secs(2));
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
    let text = answered(config, model, |question| panic!("{question:?}")).await;
    assert!(text.contains("it is not clear to which call"), "{text}");
}

#[tokio::test]
async fn a4_a_server_that_dies_while_a_person_thinks_ends_the_call() {
    let never = |_: Question| std::future::pending();
    let builder =
        Asker::builder().model(script("ask_and_die", &size())).server("fix", asking(&Log::new("dies")));
    let agent = builder.answerer(never).build().await.unwrap();
    let text = tokio::time::timeout(Duration::from_secs(10), agent.run("Go.")).await.unwrap().unwrap().text;
    assert!(text.contains("died during the call"), "{text}");
    agent.shutdown().await;
}
