//! `AgentTool`: any agent as a tool value.
#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value, reason = "tests")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::{
    Agent, AgentDeclaration, AgentHandle, AgentRun, AgentTool, Args, CallOutcome, CancellationToken,
    ErrorKind, EventKind, Exit, MemoryJournal, Message, Next, RunContext, RunError, Script, ScriptedTurn,
    Secret, State, ToolContext, ToolResult, ToolSource, ToolSpec, agent, call, tool, tool_hook,
};
use serde_json::json;

agent! {
    Helper { name: "helper", description: "Helps.", instruction: "Help." }
    Boss { name: "boss", instruction: "Lead.", tool_hooks: [note for [source(agent)]] }
}

#[tool_hook]
async fn note(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    assert_eq!((ctx.source(), ctx.server_name()), (ToolSource::Agent, Some("agent")));
    let mut output = next.run(args).await?;
    output.push_text(" [seen]");
    Ok(output)
}

/// Answers with the turn's number and what it was asked; fails, aborts or waits where it is told to.
struct Probe;

#[derive(Clone, Default)]
struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    now: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
}

impl Log {
    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

impl Agent for Probe {
    const NAME: &'static str = "probe";
    type State = Log;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new(Self::NAME).tool(log_line::default())
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        let fail = |reason: &str| RunError::Agent { agent: "probe".into(), reason: reason.to_owned() };
        run.call_tool("log_line", json!({ "line": format!("{input} begins") }).to_string()).await.unwrap();
        let earlier = run.messages().len();
        match &*input {
            "fail" => return Err(fail("it was told to")),
            "panic" => panic!("told to"),
            "abort" => {
                let aborted = run.call_tool("log_line", json!({ "line": "abort" }).to_string()).await;
                return Err(fail(&aborted.unwrap_err().to_string()));
            }
            "wait" => tokio::time::sleep(Duration::from_mins(1)).await,
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
        run.call_tool("log_line", json!({ "line": format!("{input} ends") }).to_string()).await.unwrap();
        let told = run.converse(input.clone()).await?;
        Ok(format!("{told} after {earlier}"))
    }
}

/// Keeps a line.
#[tool]
fn log_line(line: &str, log: State<Log>, run: &RunContext) -> ToolResult<u32> {
    if line == "abort" {
        return Err(Exit::abort("a trap"));
    }
    log.lines.lock().unwrap().push(line.to_owned());
    let now = if line.ends_with("begins") {
        log.now.fetch_add(1, Ordering::SeqCst) + 1
    } else {
        log.now.fetch_sub(1, Ordering::SeqCst) - 1
    };
    log.most.fetch_max(now, Ordering::SeqCst);
    run.session_state().set("lines", now);
    Ok(now)
}

async fn probe(log: &Log) -> AgentHandle {
    let model = Script::turns([ScriptedTurn::say("re: {input}"), ScriptedTurn::say("again: {input}")]);
    onionskin::AgentBuilder::<Probe>::default().model(model).state(log.clone()).build().await.unwrap()
}

async fn helper(turns: impl IntoIterator<Item = ScriptedTurn>) -> AgentHandle {
    Helper::builder().model(Script::turns(turns)).build().await.unwrap()
}

fn asks<const N: usize>(tool: &str, inputs: [&str; N]) -> Script {
    let turn = ScriptedTurn::default();
    let turn = inputs.into_iter().fold(turn, |turn, input| turn.and_call(tool, json!({ "input": input })));
    Script::turns([turn, ScriptedTurn::say("{last}")])
}

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
        if let EventKind::RunStarted { input, shown: true } = event.kind {
            started.push(format!("{} {input}", event.agent));
        }
    }
    assert_eq!(started, ["boss go", "helper[1] one", "helper[2] two"]);
    assert_eq!(run.output().await.unwrap().text, "re: one [seen]\nre: two [seen]");
}

#[tokio::test]
async fn l2_name_description_and_output_are_the_programs() {
    let turns = [ScriptedTurn::call("nothing", json!({})), ScriptedTurn::say("the answer")];
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
async fn l2_a_typed_input_is_the_tools_schema_and_told_as_json_or_text() {
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
        assert_eq!(error.to_string(), format!("the agent `probe` failed: {said}"));
        assert!(std::error::Error::source(&error).unwrap().downcast_ref::<RunError>().is_some());
    }
    let calm = tool.on_error(|cx, error| match error {
        RunError::Agent { reason, .. } => Ok(format!("{}: {reason}", cx.tool_name()).into()),
        other => Err(other.into()),
    });
    assert_eq!(call!(calm.clone().spec(), input = "fail").await.unwrap(), "agent__probe: it was told to");

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
        (ErrorKind::Timeout, "the agent probe did not answer within 1s")
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

#[tokio::test]
async fn l2_a_thread_of_the_programs_goes_on_one_call_after_the_other() {
    let log = Log::default();
    let agent = probe(&log).await;
    let thread = agent.session();
    let tool = AgentTool::new(&agent).name("ask").thread(&thread);
    let boss = Boss::builder().model(asks("ask", ["one", "two"])).tool(tool.clone()).build().await.unwrap();
    let output = boss.run("go").await.unwrap();
    assert_eq!(output.text, "re: one after 0 [seen]\nagain: two after 2 [seen]");
    assert_eq!(log.lines(), ["one begins", "one ends", "two begins", "two ends"]);
    let texts: Vec<_> =
        thread.history().iter().map(|message: &Message| message.to_text().into_owned()).collect();
    assert_eq!(texts, ["one", "re: one", "two", "again: two"]);
    assert_eq!(thread.state().get("lines"), Some(json!(0)));
}

#[tokio::test]
async fn l2_code_chooses_threads_by_name_in_each_session() {
    let log = Log::default();
    let tool = AgentTool::new(&probe(&log).await).name("ask").thread_by(|cx| {
        let user = cx.run().session_state().get("user")?;
        Some(user.as_str()?.to_owned())
    });
    let boss = Boss::builder().model(asks("ask", ["x"])).tool(tool).build().await.unwrap();
    let ask = async |session: &onionskin::Session| {
        session.set_history(Vec::new());
        boss.request("go").session(session).run().await.unwrap().text
    };
    let (session, other) = (boss.session(), boss.session());
    assert_eq!(ask(&session).await, "re: x after 0 [seen]");
    assert_eq!(ask(&session).await, "re: x after 0 [seen]", "without a name each call is on its own");
    for user in ["ada", "bob"] {
        session.state().set("user", user);
        assert_eq!(ask(&session).await, "re: x after 0 [seen]");
        assert_eq!(ask(&session).await, "again: x after 2 [seen]");
    }
    other.state().set("user", "ada");
    assert_eq!(ask(&other).await, "re: x after 0 [seen]", "another session has its own");
}

#[tokio::test]
async fn l2_the_model_chooses_a_thread_only_where_it_may() {
    let log = Log::default();
    let agent = probe(&log).await;
    let closed = AgentTool::new(&agent).name("ask").thread_by(|_| Some("mine".to_owned()));
    let said = said_in_one_run(&closed, &[Some("mine"), None, None]).await;
    assert!(said[0].contains("`thread`"), "{said:?}");
    assert_eq!(said[1..], ["re: x after 0 [seen]", "again: x after 2 [seen]"]);

    let open = closed.thread_argument();
    let schema = open.clone().spec();
    assert_eq!(schema.input_schema()["properties"]["thread"]["type"], "string");
    assert_eq!(schema.input_schema()["required"], json!(["input"]));
    let said = said_in_one_run(&open, &[None, Some("mine"), Some("mine"), Some("")]).await;
    let expected = ["re: x after 0 [seen]", "re: x after 0 [seen]", "again: x after 2 [seen]"];
    assert_eq!(said[..3], expected, "the model's is not the one of the code");
    assert!(said[3].contains("`thread`"), "{said:?}");

    let names: Vec<_> = (0..65).map(|number| number.to_string()).collect();
    let mut asked: Vec<_> = names.iter().map(|name| Some(&**name)).collect();
    asked.push(Some("63"));
    let said = said_in_one_run(&open, &asked).await;
    assert!(said[64].starts_with("there are too many threads"), "{said:?}");
    assert_eq!(said[65], "again: x after 2 [seen]");
}

/// What the tool says to calls with these threads, in one run of a boss.
async fn said_in_one_run(tool: &AgentTool, threads: &[Option<&str>]) -> Vec<String> {
    let turn = threads.iter().fold(ScriptedTurn::default(), |turn, thread| match thread {
        Some(thread) => turn.and_call("ask", json!({ "input": "x", "thread": thread })),
        None => turn.and_call("ask", json!({ "input": "x" })),
    });
    let model = Script::turns([turn, ScriptedTurn::say("{last}")]);
    let boss = Boss::builder().model(model).tool(tool.clone()).build().await.unwrap();
    let session = boss.session();
    boss.request("go").session(&session).run().await.unwrap();
    let results = session.history().into_iter().find_map(|message| match message {
        Message::Tool { results } => Some(results),
        _ => None,
    });
    let text = |block: &onionskin::ContentBlock| match block {
        onionskin::ContentBlock::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    results.unwrap().iter().map(|result| result.content.iter().map(text).collect()).collect()
}

#[tokio::test]
async fn l2_outside_of_a_run_no_name_leads_into_a_thread() {
    let agent = probe(&Log::default()).await;
    let open = AgentTool::new(&agent).thread_argument().spec();
    for _ in 0..2 {
        let error = call!(open, input = "x", thread = "1").await.unwrap_err();
        assert!(error.to_string().contains("belongs to no run"), "{error}");
        assert_eq!(call!(open, input = "x").await.unwrap(), "re: x after 0");
    }
    let named = AgentTool::new(&agent).thread_by(|_| Some("all".to_owned())).spec();
    let error = call!(named, input = "x").await.unwrap_err();
    assert!(error.to_string().contains("`AgentTool::thread`"), "{error}");
    let thread = agent.session();
    let kept = AgentTool::new(&agent).thread(&thread).spec();
    assert_eq!(call!(kept, input = "x").await.unwrap(), "re: x after 0");
    assert_eq!(call!(kept, input = "x").await.unwrap(), "again: x after 2");
}

#[tokio::test]
async fn l2_a_thread_belongs_to_one_tool_and_one_user() {
    let agent = probe(&Log::default()).await;
    let (ask, other) = (AgentTool::new(&agent).name("ask"), AgentTool::new(&agent).name("other"));
    let turn = |name| ScriptedTurn::call(name, json!({ "input": "x", "thread": "1" }));
    let model = || Script::turns([turn("ask"), turn("other"), turn("ask"), ScriptedTurn::say("{last}")]);
    let boss = Boss::builder().model(model()).tool(ask.thread_argument()).tool(other.thread_argument());
    let boss = boss.build().await.unwrap();
    let session = boss.session();
    for user in ["ada", "bob"] {
        session.set_history(Vec::new());
        boss.request("go").user(user).session(&session).run().await.unwrap();
        let results: Vec<_> = session
            .history()
            .iter()
            .filter(|message| matches!(message, Message::Tool { .. }))
            .map(|message| message.to_text().into_owned())
            .collect();
        let expected = ["re: x after 0 [seen]", "re: x after 0 [seen]", "again: x after 2 [seen]"];
        assert_eq!(results, expected, "{user}");
    }
}

#[tokio::test]
async fn l2_a_conversation_does_not_wait_for_itself() {
    let boss = Boss::builder().model(asks("ask", ["x"])).build().await.unwrap();
    let session = boss.session();
    let own = AgentTool::new(&boss).name("ask").thread(&session);
    let outer = Boss::builder().model(asks("ask", ["x"])).tool(own).build().await.unwrap();
    let output = outer.request("go").session(&session).run().await.unwrap();
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::Failed)));
    assert_eq!(output.text, "`ask` cannot go on in a conversation that waits for this call");
}

/// Tells what the run beneath knows of the one above.
#[tool]
fn above(run: &RunContext) -> String {
    let parent = run.parent().map_or("nobody", RunContext::instance_name);
    format!("{} beneath {parent} in {}", run.instance_name(), run.correlation_id())
}

agent! { Looker { name: "looker", instruction: "Look up.", function_tools: [above] } }

#[tokio::test]
async fn l2_the_run_stands_beneath_the_callers() {
    let turns = [ScriptedTurn::call("above", json!({})), ScriptedTurn::say("{last}")];
    let looker = Looker::builder().model(Script::turns(turns)).build().await.unwrap();
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
    let model = Arc::new(Script::turns([ScriptedTurn::say(format!("{theirs} {{input}}"))]));
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

#[tokio::test]
async fn o5_a_recorded_run_asks_nobody_again() {
    let journal = Arc::new(MemoryJournal::default());
    let model = Arc::new(Script::turns([ScriptedTurn::say("re: {input}")]));
    let run = || async {
        let helper = Helper::builder().model(Arc::clone(&model)).build().await.unwrap();
        let boss = Boss::builder().model(asks("agent__helper", ["one", "two"])).tool(AgentTool::new(&helper));
        let boss = boss.journal(Arc::clone(&journal)).build().await.unwrap();
        boss.request("go").correlation_id("c-1").run().await.unwrap()
    };
    assert_eq!(run().await.text, run().await.text);
    assert_eq!(model.requests().len(), 2, "{:?}", journal.steps("c-1"));
}

#[test]
#[should_panic(expected = "the input of the tool `agent__helper` has a field `thread`: rename it")]
fn l2_a_field_thread_and_the_argument_exclude_each_other() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its name matters")]
    struct Threaded {
        thread: String,
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let helper = runtime.block_on(helper([]));
    let _ = AgentTool::new(&helper).typed::<Threaded>().thread_argument().spec();
}
