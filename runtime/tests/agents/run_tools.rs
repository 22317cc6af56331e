//! A4: tools that depend on the run: lists of servers, definitions of single tools.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use onionskin::definition::ToolSource;
use onionskin::event::EventKind;
use onionskin::model::{Model, ModelResponse, ToolCall};
use onionskin::run::RunRequest;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::spec::for_each_run;
use onionskin::{
    AgentHandle, Args, BoxFuture, BuildError, DynTool, ErrorKind, Next, RunContext, RunError, ScriptedModel,
    ScriptedTurn, Secret, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult, ToolSpec, agent, tool,
    tool_hook,
};
use serde_json::{Value, json};

use crate::answers::answers;

/// A server with the tools `read` and `erase`; a run without the user `root` has `read` alone.
#[derive(Clone, Default)]
struct Files {
    generation: Arc<AtomicU64>,
    /// The users of the runs that asked.
    asked: Arc<Mutex<Vec<String>>>,
    names: Option<&'static [&'static str]>,
}

struct Named(ToolDefinition);

impl DynTool for Named {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text(format!("{} of {}", cx.tool_name(), cx.source()))) })
    }
}

fn tools(names: &[&str]) -> Vec<Arc<dyn DynTool>> {
    let tool = |name: &&str| {
        Arc::new(Named(ToolDefinition::new(format!("files__{name}"), "Does."))) as Arc<dyn DynTool>
    };
    names.iter().map(tool).collect()
}

impl ToolServer for Files {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        assert_eq!((request.server(), request.tool_name("x").as_str()), ("files", "files__x"));
        Ok(Arc::new(self.clone()))
    }
}

impl ToolProvider for Files {
    fn generation(&self) -> u64 {
        self.generation.load(SeqCst)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let all: &[&str] = if self.generation() == 0 { &["read", "erase"] } else { &["read"] };
        tools(self.names.unwrap_or(all))
    }

    fn for_run<'a>(
        &'a self,
        run: &'a RunContext,
    ) -> Option<BoxFuture<'a, Result<Arc<dyn ToolProvider>, BoxError>>> {
        let user = run.user()?;
        self.asked.lock().unwrap().push(user.to_owned());
        assert_ne!(user, "early", "before the list");
        Some(Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(match user {
                "root" => Arc::new(tools(&["read", "erase"])) as Arc<dyn ToolProvider>,
                "stranger" => return Err("we do not know `stranger`".into()),
                "late" => panic!("within the list"),
                "hidden" => return Err("the key s3cret-of-files is wrong".into()),
                "other" => Arc::new(vec![Arc::new(Named(ToolDefinition::new("plain", "Does."))) as _]),
                _ => Arc::new(tools(&["read"])),
            })
        }))
    }
}

/// Marks the calls of servers that are not MCP.
#[tool_hook]
async fn mark(args: &mut Args, next: impl Next) -> ToolResult {
    Ok(ToolOutput::text(format!("<{}>", next.run(args).await?.to_text())))
}

agent! {
    Clerk {
        instruction: "Answer.",
        servers: [files],
        tool_hooks: [mark for [source(server)], mark for [server(files)], mark for [files__erase], mark for [source(mcp)]],
    }
    Boss { instruction: "Ask.", description: "Asks.", agents: [Helper] }
    Helper { instruction: "Answer.", description: "Helps.", servers: [files], tools: { files: [read, e*] } }
}

async fn clerk(model: ScriptedModel, files: &Files) -> AgentHandle {
    Clerk::builder().model(model).server("files", files.clone()).build().await.unwrap()
}

fn calls(names: &[&'static str]) -> ScriptedModel {
    let calls = names.iter().map(|name| ScriptedTurn::call(*name, json!({})));
    ScriptedModel::turns(calls.chain([ScriptedTurn::say("done")]))
}

#[tokio::test]
async fn a4_a_server_can_have_other_tools_for_each_user() {
    let files = Files::default();
    let model = calling(&["files__erase", "files__read"]);
    let clerk = Clerk::builder().model(model).server("files", files.clone()).build().await.unwrap();
    let texts = |output: onionskin::RunOutput| -> Vec<String> {
        output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
    };
    let root = texts(clerk.request("Go.").user("root").run().await.unwrap());
    assert_eq!(root, ["<<<files__erase of server>>>", "<<files__read of server>>"]);
    let guest = clerk.request("Go.").user("guest").run().await.unwrap();
    assert_eq!(guest.tool_calls[0].source, None);
    assert_eq!(guest.tool_calls[1].source, Some(ToolSource::Server));
    let guest = texts(guest);
    assert!(guest[0].contains("files__erase") && !guest[0].contains("of server"), "{guest:?}");
    assert_eq!(guest[1], "<<files__read of server>>");
    // Without a user the run has the tools of all runs.
    assert_eq!(texts(clerk.run("Go.").await.unwrap())[0], "<<<files__erase of server>>>");
    assert_eq!(clerk.tool_names().unwrap(), ["files__read", "files__erase"]);
    // Once for each run.
    assert_eq!(*files.asked.lock().unwrap(), ["root", "guest"]);
}

#[tokio::test]
async fn a4_the_model_sees_the_tools_of_the_run() {
    let files = Files::default();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let model = noting_tools(Arc::clone(&seen));
    let clerk = Clerk::builder().model(model).server("files", files).build().await.unwrap();
    for user in ["guest", "root"] {
        clerk.request("Go.").user(user).run().await.unwrap();
    }
    assert_eq!(*seen.lock().unwrap(), ["files__read", "files__read files__erase"]);
}

/// Calls all these tools, and then answers. It asks for tools that it was not given, too.
fn calling(names: &'static [&'static str]) -> impl Model {
    answers(move |request, _| {
        if request.messages.len() > 1 {
            return Ok(ModelResponse::text("done"));
        }
        Ok(ModelResponse::tool_calls(names.iter().map(|name| ToolCall::new(*name, *name, "{}"))))
    })
}

/// Keeps the names of the tools in each request.
fn noting_tools(seen: Arc<Mutex<Vec<String>>>) -> impl Model {
    answers(move |request, _| {
        let names: Vec<_> = request.tools.iter().map(|tool| tool.name.to_string()).collect();
        seen.lock().unwrap().push(names.join(" "));
        Ok(ModelResponse::text("done"))
    })
}

#[tokio::test]
async fn a4_a_run_for_which_a_server_has_no_tools_ends_before_its_first_turn() {
    let files = Files::default();
    let clerk = clerk(calls(&[]), &files).await;
    for (user, words) in [
        ("stranger", "we do not know `stranger`"),
        ("late", "the server `files` panicked when it listed the tools of a run: within the list"),
        ("early", "the server `files` panicked when it listed the tools of a run: "),
    ] {
        let mut stream = clerk.request("Go.").user(user).stream();
        let mut turns = 0;
        while let Some(event) = stream.next().await {
            turns += u32::from(matches!(event.kind, EventKind::TurnStarted { .. }));
        }
        assert_eq!(turns, 0);
        let error = clerk.request("Go.").user(user).run().await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("the run of `Clerk` did not start: the server `files` has no tools for it: "),
            "{text}"
        );
        assert!(text.contains(words), "{text}");
        let RunError::ServerTools { agent, server, .. } = error else { panic!("{text}") };
        assert_eq!((&*agent, &*server), ("Clerk", "files"));
    }
    // A session that knows the secret.
    let session = clerk.session();
    session.state().set_secret("key", Secret::new("s3cret-of-files".to_owned()));
    let error = clerk.request("Go.").session(&session).user("hidden").run().await.unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(text.contains("is wrong") && !text.contains("s3cret-of-files"), "{text}");
}

#[tokio::test]
async fn a4_a_tool_with_a_wrong_name_in_the_list_of_a_run_is_left_out_and_reported() {
    let clerk = clerk(calls(&["plain"]), &Files::default()).await;
    let mut stream = clerk.request("Go.").user("other").stream();
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    assert!(
        notices.len() == 1 && notices[0].contains("`plain`") && notices[0].contains("left out"),
        "{notices:?}"
    );
}

#[tokio::test]
async fn a4_a_child_has_the_tools_of_its_run_within_its_filter() {
    let files = Files::default();
    let asks = ScriptedTurn::call("agent__Helper", json!({ "input": "Erase." }));
    let erases = || [ScriptedTurn::call("files__erase", json!({})), ScriptedTurn::say("{last}")];
    for user in ["root", "guest"] {
        let model = ScriptedModel::new()
            .agent("Boss", [asks.clone(), ScriptedTurn::say("{last}")])
            .agent("Helper", erases());
        let boss = Boss::builder().model(model).server("files", files.clone()).build().await.unwrap();
        let ended = boss.request("Go.").user(user).run().await;
        match user {
            "root" => assert_eq!(ended.unwrap().text, "files__erase of server"),
            // The scripted model refuses to call a tool that it was not given.
            _ => assert!(ended.unwrap_err().to_string().contains("files__erase"), "{user}"),
        }
    }
}

#[tokio::test]
async fn a4_the_runtime_applies_the_filter_of_an_agent() {
    agent! { Reader { instruction: "Read.", servers: [files], tools: { files: [r?ad, writ] } } }
    let build = |names| {
        let files = Files { names: Some(names), ..Files::default() };
        Reader::builder().model(calls(&[])).server("files", files).build()
    };
    let reader = build(&["read", "erase", "writ", "reread"]).await.unwrap();
    assert_eq!(reader.tool_names().unwrap(), ["files__read", "files__writ"]);

    let error = build(&["read", "write"]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent `Reader` selects `writ` from the server `files`, which has no such tool; did you mean `write`?; its tools \
         are: `read`, `write`. Correct the pattern in the agent's `tools`"
    );
    let BuildError::NoServerTool { agent, server, pattern, .. } = error else { panic!("{error}") };
    assert_eq!((agent.as_str(), server.as_str(), pattern.as_str()), ("Reader", "files", "writ"));
    let error = build(&[]).await.unwrap_err().to_string();
    assert!(error.contains("its tools are: none"), "{error}");
}

#[tokio::test]
async fn a4_a_pattern_that_matches_nothing_any_more_is_reported() {
    agent! { Eraser { instruction: "Erase.", servers: [files], tools: { files: [read, e*] } } }
    let files = Files::default();
    let eraser = Eraser::builder().model(calls(&[])).server("files", files.clone()).build().await.unwrap();
    files.generation.store(1, SeqCst);
    let mut stream = eraser.stream("Go.");
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    assert_eq!(
        notices,
        ["the server `files` changed its tools: no tool matches `e*` of the agent `Eraser` any more"]
    );
}

/// Opens a project.
#[tool]
fn open(project: String, #[arg(default = 1)] copies: u32) -> String {
    format!("{project} x {copies}")
}

/// The schema with the projects of the run's user.
fn projects(definition: ToolDefinition, run: &RunContext) -> Result<ToolDefinition, BoxError> {
    let projects = match run.user().ok_or("the run has no user")? {
        "ada" => ["engine", "notes"],
        "rename" => return Ok(ToolDefinition::new("shut", "Does.")),
        "panic" => panic!("no projects"),
        _ => ["guest", "public"],
    };
    let mut schema = (*definition.input_schema).clone();
    let name = if schema["properties"]["name"].is_object() { "name" } else { "project" };
    schema["properties"][name]["enum"] = json!(projects);
    Ok(definition.with_input_schema(schema))
}

/// A hand-written tool whose definition depends on the run.
struct OpenByHand(ToolDefinition);

impl Default for OpenByHand {
    fn default() -> Self {
        let schema = json!({
            "type": "object",
            "properties": { "project": { "type": "string" } },
            "required": ["project"],
        });
        let definition = ToolDefinition::new(Self::NAME, "Opens.").with_input_schema(schema);
        Self(for_each_run(definition, projects))
    }
}

tool_by_hand! {
    OpenByHand "open_by_hand", self.0;

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        assert_eq!(cx.attempt(), 1);
        Ok(ToolOutput::text(format!("opened {}", args.get("project").unwrap())))
    }
}

agent! { ByHand { instruction: "Open.", function_tools: [OpenByHand] } }

fn spec_for_each_run() -> ToolSpec {
    let mut spec = open::spec();
    spec.options(|options| *options = for_each_run(options.clone(), projects));
    spec
}

fn enum_of(request: &Value) -> &Value {
    &request["properties"]
}

#[tokio::test]
async fn t1_the_arguments_of_a_call_have_to_fit_the_definition_of_the_run() {
    let turns = |tool: &'static str| {
        let calls = ["engine", "guest"].map(|name| ScriptedTurn::call(tool, json!({ "project": name })));
        ScriptedModel::turns(calls.into_iter().chain([ScriptedTurn::say("done")]))
    };
    let compiled = ByHand::builder().model(turns("open_by_hand")).build().await.unwrap();
    agent! { Empty { instruction: "Open." } }
    let added = Empty::builder().model(turns("open")).tool(spec_for_each_run()).build().await.unwrap();
    for (agent, [engine, guest]) in
        [(&compiled, [r#"opened "engine""#, r#"opened "guest""#]), (&added, ["engine x 1", "guest x 1"])]
    {
        for (user, good, wrong) in [("ada", 0, 1), ("bob", 1, 0)] {
            let output = agent.request("Go.").user(user).run().await.unwrap();
            let expected = [engine, guest][good];
            assert_eq!(output.tool_calls[good].to_text(), expected);
            let refused = &output.tool_calls[wrong];
            assert_eq!(refused.outcome, Some(onionskin::event::CallOutcome::Error(ErrorKind::Arguments)));
            assert_eq!(refused.attempts, 0);
            assert!(refused.to_text().contains("`project`"), "{}", refused.to_text());
        }
        // Everything outside of a run has the definition itself.
        assert!(
            agent.tool_definitions().unwrap()[0].input_schema["properties"]["project"].get("enum").is_none()
        );
        for (user, words) in [
            (None, "the run has no user"),
            (Some("rename"), "it has another name, `shut`; keep the name"),
            (Some("panic"), "it panicked: no projects"),
        ] {
            let request = agent.request("Go.");
            let request = user.into_iter().fold(request, RunRequest::user);
            let error = request.run().await.unwrap_err();
            let text = error.to_string();
            assert!(text.contains(words), "{text}");
            assert!(matches!(error, RunError::ToolDefinition { .. }), "{error:?}");
        }
    }
}

#[tokio::test]
async fn t1_a_changed_tool_has_the_definition_of_the_run_in_its_own_names() {
    use onionskin::spec::Transform;
    let mut spec = spec_for_each_run();
    spec.transform(Transform::new().name("show").rename("project", "title").hide("copies", 3)).unwrap();
    let seen = Arc::new(Mutex::new(Value::Null));
    let model = noting_schema(Arc::clone(&seen));
    agent! { Shows { instruction: "Open." } }
    let shows = Shows::builder().model(model).tool(spec).build().await.unwrap();
    let output = shows.request("Go.").user("ada").run().await.unwrap();
    assert_eq!(output.tool_calls[0].to_text(), "engine x 3");
    assert!(output.tool_calls[1].to_text().contains("`title`"), "{}", output.tool_calls[1].to_text());
    let schema = seen.lock().unwrap().clone();
    assert_eq!(enum_of(&schema)["title"]["enum"], json!(["engine", "notes"]));
    assert!(enum_of(&schema).get("copies").is_none(), "{schema}");
}

/// Keeps the schema of the first tool, calls it twice, and answers.
fn noting_schema(seen: Arc<Mutex<Value>>) -> impl Model {
    answers(move |request, _| {
        *seen.lock().unwrap() = (*request.tools[0].input_schema).clone();
        if request.messages.len() > 1 {
            return Ok(ModelResponse::text("done"));
        }
        let call =
            |(id, title): (&str, &str)| ToolCall::new(id, "show", json!({ "title": title }).to_string());
        Ok(ModelResponse::tool_calls([("1", "engine"), ("2", "guest")].map(call)))
    })
}

#[tokio::test]
async fn t1_a_tool_of_a_server_can_depend_on_the_run() {
    struct Opens;
    impl ToolServer for Opens {
        fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
            let OpenByHand(mut definition) = OpenByHand::default();
            definition.name = request.tool_name("open").into();
            let tools: Vec<Arc<dyn DynTool>> = vec![Arc::new(Named(definition))];
            Ok(Arc::new(tools))
        }
    }
    agent! { Remote { instruction: "Open.", servers: [opens] } }
    let calls = ["engine", "guest"].map(|name| ScriptedTurn::call("opens__open", json!({ "project": name })));
    let model = ScriptedModel::turns(calls.into_iter().chain([ScriptedTurn::say("done")]));
    let remote = Remote::builder().model(model).server("opens", Opens).build().await.unwrap();
    for _ in 0..2 {
        let output = remote.request("Go.").user("ada").run().await.unwrap();
        assert_eq!(output.tool_calls[0].to_text(), "opens__open of server");
        assert!(output.tool_calls[1].is_error() && output.tool_calls[1].to_text().contains("`project`"));
    }
    let error = remote.run("Go.").await.unwrap_err();
    assert!(matches!(error, RunError::ToolDefinition { .. }), "{error:?}");
}
