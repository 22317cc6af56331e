//! `AgentTool`: any agent as a tool value.

mod journal;
mod support;
mod threads;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use onionskin::definition::ToolSource;
use onionskin::event::EventKind;
use onionskin::{
    AgentTool, CancellationToken, ErrorKind, Exit, RunContext, RunError, ScriptedModel, ScriptedTurn, Secret,
    ToolSpec, agent, call, tool,
};
use serde_json::json;

use crate::agent_tool::support::{Boss, Helper, Log, asks, helper, probe};

#[tokio::test]
async fn l2_an_agent_is_a_tool_of_an_agent_and_of_a_program() {
    let tool = AgentTool::new(&helper([ScriptedTurn::say("re: {input}")]).await);
    let spec = tool.clone().spec();
    assert_eq!((spec.name(), spec.description()), ("agent__helper", "Helps."));
    assert_eq!((spec.source(), spec.server_name()), (ToolSource::Agent, Some("agent")));
    assert_eq!(
        *spec.input_schema(),
        json!({
            "type": "object",
            "properties": { "input": { "type": "string", "description": "What the agent is asked." } },
            "required": ["input"],
            "additionalProperties": false
        })
    );
    assert_eq!(call!(spec, input = "direct").await.unwrap(), "re: direct");
    assert_eq!(spec.call_blocking(json!({ "input": "blocking" })).unwrap(), "re: blocking");
    let wrong = call!(spec, inptu = "x").await.unwrap_err();
    assert!(wrong.to_string().contains("did you mean `input`?"), "{wrong}");

    let boss = Boss::builder().model(asks("agent__helper", ["one", "two"])).tool(tool.name("agent__helper"));
    let mut run = boss.build().await.unwrap().request("go").correlation_id("c-1").stream();
    let mut started = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::RunStarted { input, shown: true, .. } = event.kind {
            started.push(format!("{} {input}", event.agent));
        }
    }
    assert_eq!(started, ["boss go", "helper[1] one", "helper[2] two"]);
    assert_eq!(run.output().await.unwrap().text, "re: one [seen]\nre: two [seen]");
}

#[tokio::test]
async fn l2_name_description_and_output_are_the_programs() {
    let turns = [ScriptedTurn::call_unknown("nothing", json!({})), ScriptedTurn::say("the answer")];
    let tool =
        AgentTool::new(&helper(turns).await).name("help").description("Asks for help.").output(|output| {
            let calls: Vec<_> = output.tool_calls.iter().map(|call| &*call.tool).collect();
            let text = format!("{} after {} turns and {calls:?}", output.text, output.turns);
            assert!(output.usage.total() > 0);
            Ok(text.into())
        });
    let direct = tool.clone().spec();
    assert_eq!((direct.name(), direct.description()), ("help", "Asks for help."));
    let expected = "the answer after 2 turns and [\"nothing\"]";
    assert_eq!(call!(direct, input = "x").await.unwrap(), expected);

    // In a run, what is added up for one call is that call's, and the run's own sum holds all of them.
    let boss = Boss::builder().model(asks("help", ["a", "b"])).tool(tool);
    let output = boss.run("go").await.unwrap();
    assert_eq!(output.text, format!("{expected} [seen]\n{expected} [seen]"));
    assert_eq!((output.turns, output.tool_calls.len()), (2, 4));
}

#[tokio::test]
async fn l2_the_output_of_an_agent_tool_within_another_is_added_up_for_each() {
    let inner = AgentTool::new(&helper([ScriptedTurn::say("in")]).await)
        .name("inner")
        .output(|output| Ok(format!("{}:{}", output.text, output.turns).into()));
    let middle = Boss::builder().model(asks("inner", ["x"])).tool(inner).build().await.unwrap();
    let middle = AgentTool::new(&middle)
        .name("middle")
        .output(|output| Ok(format!("{}:{}:{}", output.text, output.turns, output.tool_calls.len()).into()));
    let output = Boss::builder().model(asks("middle", ["y"])).tool(middle).run("go").await.unwrap();
    assert_eq!(output.text, "in:1 [seen]:2:1 [seen]");
    assert_eq!((output.turns, output.tool_calls.len()), (2, 2));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Question {
    /// What it is about.
    topic: String,
    words: Option<u8>,
}

#[tokio::test]
async fn l2_a_typed_input_is_the_tools_schema_and_sent_as_json_or_text() {
    let helper = helper([ScriptedTurn::say("{input}")]).await;
    let tool = AgentTool::new(&helper).typed::<Question>().spec();
    assert_eq!(tool.input_schema()["properties"]["topic"]["description"], "What it is about.");
    assert_eq!(tool.input_schema()["required"], json!(["topic"]));
    let told = call!(tool, topic = "tides", words = "5").await.unwrap();
    let told: serde_json::Value = serde_json::from_str(told.as_str().unwrap()).unwrap();
    assert_eq!(told, json!({ "topic": "tides", "words": 5 }), "what fits without loss is mended");
    let wrong = call!(tool, topic = 1, words = 300).await.unwrap_err().to_string();
    assert!(wrong.contains("`topic`: expected a string") && wrong.contains("`words`"), "{wrong}");

    let tool =
        AgentTool::new(&helper).typed_as(|asked: Question| format!("{} in {:?}", asked.topic, asked.words));
    assert_eq!(call!(tool.spec(), topic = "tides").await.unwrap(), "tides in None");
}

#[tokio::test]
async fn l2_a_run_without_an_answer_is_an_error_or_what_on_error_makes_of_it() {
    let log = Log::default();
    let tool = AgentTool::new(&probe(&log).await);
    let plain = tool.clone().spec();
    for (input, said) in [("fail", "it was told to"), ("panic", "it panicked: told to")] {
        let Err(Exit::Tool(error)) = call!(plain, input = input).await else { panic!("{input} fails") };
        assert_eq!(
            error.to_string(),
            format!("the agent `probe` failed: {said}. Before, it ran `log_line` once.")
        );
        assert!(std::error::Error::source(&error).unwrap().downcast_ref::<RunError>().is_some());
    }
    let calm = tool.on_error(|cx, error| match error {
        RunError::Agent { reason, .. } => Ok(format!("{}: {reason}", cx.tool_name()).into()),
        other => Err(other.into()),
    });
    assert_eq!(call!(calm.clone().spec(), input = "fail").await.unwrap(), "agent__probe: it was told to");

    let waits = AgentTool::new(&probe(&log).await).on_error_async(|cx, error| {
        Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(format!("{} waits: {error}", cx.tool_name()).into())
        })
    });
    let waited = call!(waits.spec(), input = "fail").await.unwrap();
    assert_eq!(waited, "agent__probe waits: the agent `probe` failed: it was told to");

    // An abort is not asked about, and takes the caller with it.
    let Err(Exit::Abort(abort)) = call!(calm.clone().spec(), input = "abort").await else {
        panic!("it aborts")
    };
    assert_eq!(abort.reason(), "a trap");
    let error =
        Boss::builder().model(asks("agent__probe", ["abort"])).tool(calm).run("go").await.unwrap_err();
    assert!(matches!(&error, RunError::Aborted(abort) if abort.reason() == "a trap"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn l2_a_run_that_takes_too_long_or_is_cancelled_ends() {
    let log = Log::default();
    let tool = AgentTool::new(&probe(&log).await).timeout(Duration::from_secs(1));
    let Err(Exit::Tool(error)) = call!(tool.clone().spec(), input = "wait").await else {
        panic!("it takes too long")
    };
    assert_eq!(
        (error.kind(), &*error.to_text()),
        (ErrorKind::Timeout, "the agent probe did not answer within 1s. Before, it ran `log_line` once.")
    );

    let boss =
        Boss::builder().model(asks("agent__probe", ["wait"])).tool(tool.timeout(Duration::from_secs(90)));
    let boss = boss.build().await.unwrap();
    let token = CancellationToken::new();
    let cancel = token.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        cancel.cancel();
    });
    let error = boss.request("go").cancellation(token).run().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert!(!log.lines().contains(&"wait ends".to_owned()), "{:?}", log.lines());
}

#[tokio::test]
async fn l2_calls_run_at_once_and_share_neither_history_nor_state() {
    let log = Log::default();
    let tool = AgentTool::new(&probe(&log).await).name("ask");
    let boss = Boss::builder().model(asks("ask", ["one", "two", "three"])).tool(tool).build().await.unwrap();
    let session = boss.session();
    let output = boss.request("go").session(&session).run().await.unwrap();
    assert_eq!(
        output.text,
        ["one", "two", "three"].map(|input| format!("re: {input} after 0 [seen]")).join("\n")
    );
    assert_eq!(log.most.load(Ordering::SeqCst), 3);
    assert_eq!(session.state().get("lines"), None, "the agent's session is its own");
    assert_eq!(session.history().len(), 4, "nothing is merged");
}

/// Tells what the run beneath knows of the one above.
#[tool]
fn above(run: &RunContext) -> String {
    let parent = run.parent().map_or("nobody", RunContext::instance_name);
    format!("{} beneath {parent} in {}", run.instance_name(), run.correlation_id())
}

agent! { Looker { name: "looker", instruction: "Look up.", function_tools: [above] } }

#[tokio::test]
async fn l2_the_run_is_below_the_callers() {
    let turns = [ScriptedTurn::call("above", json!({})), ScriptedTurn::say("{last}")];
    let looker = Looker::builder().model(ScriptedModel::turns(turns)).build().await.unwrap();
    let tool = AgentTool::new(&looker);
    let boss = Boss::builder().model(asks("agent__looker", ["x"])).tool(tool.clone()).build().await.unwrap();
    let output = boss.request("go").correlation_id("c-7").run().await.unwrap();
    assert_eq!(output.text, "looker[1] beneath boss in c-7 [seen]");

    let spec = ToolSpec::from(tool);
    let (one, two) = (call!(spec, input = "x").await.unwrap(), call!(spec, input = "x").await.unwrap());
    assert!(one.as_str().unwrap().starts_with("looker beneath nobody in "), "{one}");
    assert_ne!(one, two, "each direct call is a run of its own");
}

#[tokio::test]
async fn t8_secrets_of_neither_side_reach_the_other() {
    let (ours, theirs) = ("the-callers-own-key", "the-agents-own-key");
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say(format!("{theirs} {{input}}"))]));
    let helper = Helper::builder().model(Arc::clone(&model)).conceal(&Secret::from(theirs));
    let helper = AgentTool::new(&helper.build().await.unwrap())
        .output(|output| Ok(format!("out: {}", output.text).into()));
    let boss = Boss::builder().model(asks("agent__helper", [ours])).tool(helper).conceal(&Secret::from(ours));
    let mut run = boss.build().await.unwrap().stream("go");
    while let Some(event) = run.next().await {
        let told = format!("{event:?}");
        assert!(!told.contains(ours) && !told.contains(theirs), "{told}");
    }
    assert_eq!(run.output().await.unwrap().text, "out: [secret] [secret] [seen]");
    let asked = format!("{:?}", model.requests());
    assert!(asked.contains("[secret]") && !asked.contains(ours), "{asked}");
}
