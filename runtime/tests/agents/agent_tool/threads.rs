//! Calls that go on in one conversation.

use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::content::ContentBlock;
use onionskin::event::CallOutcome;
use onionskin::model::Message;
use onionskin::{AgentTool, ErrorKind, Exit, RunError, ScriptedModel, ScriptedTurn, Session, call};
use serde_json::json;

use crate::agent_tool::support::{Boss, Log, asks, helper, probe};

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
    let ask = async |session: &Session| {
        session.set_history(Vec::new()).unwrap();
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
    assert_eq!(said[64], "there are 64 threads, which is the most: continue one of them, or omit `thread`");
    assert_eq!(said[65], "again: x after 2 [seen]");
}

#[tokio::test]
async fn l2_naming_too_many_threads_is_an_error_that_says_what_code_can_do() {
    let count = AtomicU32::new(0);
    let helper = helper([ScriptedTurn::say("re: {input}")]).await;
    let tool = AgentTool::new(&helper).name("ask");
    let tool = tool.thread_by(move |_| Some(count.fetch_add(1, Ordering::SeqCst).to_string()));
    let said = said_in_one_run(&tool, &vec![None; 1025]).await;
    assert!(said[..1024].iter().all(|text| text == "re: x [seen]"), "{said:?}");
    assert_eq!(
        said[1024],
        "`ask` cannot begin another conversation: the program has named 1024 in this session, which is the most; let \
         `AgentTool::thread_by` give names again, or begin a new session"
    );
}

/// What the tool says to calls with these threads, in one run of a boss.
async fn said_in_one_run(tool: &AgentTool, threads: &[Option<&str>]) -> Vec<String> {
    let turn = threads.iter().fold(ScriptedTurn::default(), |turn, thread| match thread {
        Some(thread) => turn.and_call("ask", json!({ "input": "x", "thread": thread })),
        None => turn.and_call("ask", json!({ "input": "x" })),
    });
    let model = ScriptedModel::turns([turn, ScriptedTurn::say("{last}")]);
    let boss = Boss::builder().model(model).tool(tool.clone()).build().await.unwrap();
    let session = boss.session();
    boss.request("go").session(&session).run().await.unwrap();
    let results = session.history().into_iter().find_map(|message| match message {
        Message::Tool { results, .. } => Some(results),
        _ => None,
    });
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => text.clone(),
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
    let model =
        || ScriptedModel::turns([turn("ask"), turn("other"), turn("ask"), ScriptedTurn::say("{last}")]);
    let boss = Boss::builder().model(model()).tool(ask.thread_argument()).tool(other.thread_argument());
    let boss = boss.build().await.unwrap();
    let session = boss.session();
    for user in ["ada", "bob"] {
        session.set_history(Vec::new()).unwrap();
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
    assert_eq!(
        output.text,
        "the agent `boss` cannot continue a session that waits for this call: run it in another session"
    );
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

#[tokio::test]
async fn l2_a_thread_without_the_agents_state_is_refused() {
    let stranger = helper([]).await.session();
    let tool = AgentTool::new(&probe(&Log::default()).await).thread(&stranger);
    let Err(Exit::Tool(error)) = call!(tool.clone().spec(), input = "x").await else {
        panic!("it is refused")
    };
    let text = error.to_text().into_owned();
    assert!(
        text.contains("holds no `agents::agent_tool::support::Log`") && text.contains("`probe`"),
        "{text}"
    );
    let source = std::error::Error::source(&error).unwrap().downcast_ref::<RunError>();
    assert!(matches!(source, Some(RunError::NoState { .. })), "{source:?}");
    let calm = tool.on_error(|_, error| Ok(format!("recovered: {error}").into()));
    assert_eq!(call!(calm.spec(), input = "x").await.unwrap(), format!("recovered: {text}"));
    assert!(stranger.history().is_empty());
}
