//! Sources of tools written by hand: panics, and the names of their tools.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};

use onionskin::event::EventKind;
use onionskin::run::AgentRun;
use onionskin::servers::{BoxError, IntoToolServer, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{
    Args, BoxFuture, BuildError, DynTool, Exit, RunError, ScriptedModel, ScriptedTurn, ToolContext,
    ToolDefinition, ToolOutput, ToolResult, agent,
};

/// Panics in the method of this name.
#[derive(Clone, Copy)]
struct Broken(&'static str);

impl Broken {
    fn in_method(self, method: &str) {
        assert_ne!(self.0, method, "the server is broken");
    }
}

/// The configuration of [`Broken`].
struct BrokenConfig(Broken);

impl IntoToolServer for BrokenConfig {
    fn into_server(self, _: &str) -> Result<Arc<dyn ToolServer>, BoxError> {
        self.0.in_method("into_server");
        Ok(Arc::new(self.0))
    }
}

impl ToolServer for Broken {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async {
            self.in_method("start");
            Ok(())
        })
    }

    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        self.in_method("provider");
        Ok(Arc::new(*self))
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { self.in_method("shutdown") })
    }

    fn kill(&self) {
        self.in_method("kill");
    }
}

impl ToolProvider for Broken {
    fn generation(&self) -> u64 {
        self.in_method("generation");
        0
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        self.in_method("tools");
        vec![Arc::new(*self)]
    }
}

impl DynTool for Broken {
    fn definition(&self) -> &ToolDefinition {
        static DEFINITION: LazyLock<ToolDefinition> =
            LazyLock::new(|| ToolDefinition::new("broken__fine", "Does."));
        self.in_method("definition");
        &DEFINITION
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text("done")) })
    }
}

agent! { User { instruction: "Answer.", servers: [broken] } }

async fn build(method: &'static str) -> Result<onionskin::AgentHandle, BuildError> {
    let model = ScriptedModel::turns([ScriptedTurn::say("done")]);
    User::builder().model(model).server("broken", BrokenConfig(Broken(method))).build().await
}

#[tokio::test]
async fn a4_a_panic_of_a_source_of_tools_is_an_error_of_the_build() {
    for (method, doing) in [
        ("into_server", "was made"),
        ("start", "started"),
        ("provider", "listed its tools"),
        ("generation", "listed its tools"),
        ("tools", "listed its tools"),
        ("definition", "listed its tools"),
    ] {
        let Err(error) = build(method).await else { panic!("`{method}` panicked and the agent was built") };
        assert!(matches!(error, BuildError::Server(_)), "{error}");
        let error = error.to_string();
        let expected = format!("the server `broken` panicked when it {doing}: ");
        assert!(error.starts_with(&expected) && error.contains("the server is broken"), "{error}");
    }
}

#[tokio::test]
async fn a4_a_server_that_panics_at_its_end_does_not_take_the_host_down() {
    build("shutdown").await.unwrap().shutdown().await;

    // A second panic while a thread unwinds would end the process.
    let agent = build("kill").await.unwrap();
    let panicked = std::thread::spawn(move || {
        let _agent = agent;
        panic!("of the program's own");
    });
    let panic = panicked.join().unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"of the program's own"));
}

/// The server [`Broken`], which breaks after the build: in the method that is set.
#[derive(Clone, Default)]
struct Breaks(Arc<Mutex<&'static str>>);

impl Breaks {
    fn now(&self) -> Broken {
        Broken(*self.0.lock().unwrap())
    }

    fn set(&self, method: &'static str) {
        *self.0.lock().unwrap() = method;
    }
}

impl ToolServer for Breaks {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(self.clone()))
    }
}

impl ToolProvider for Breaks {
    fn generation(&self) -> u64 {
        // Each list is a new one.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.now().generation() + NEXT.fetch_add(1, Relaxed)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        self.now().tools();
        vec![Arc::new(self.now())]
    }

    fn notices(&self) -> Vec<String> {
        self.now().in_method("notices");
        Vec::new()
    }
}

/// Calls a tool by itself.
async fn call_fine(run: &AgentRun, _: String) -> Result<String, RunError> {
    Ok(match run.call_tool("broken__fine", "{}").await {
        Ok(output) => output.to_text().into_owned(),
        Err(Exit::Tool(error)) => format!("{:?}: {error}", error.kind()),
        Err(other) => format!("{other:?}"),
    })
}

agent! { ByHand { name: "by_hand", instruction: "Call.", servers: [broken], run: call_fine } }

#[tokio::test]
async fn a4_a_source_that_panics_after_the_build_is_an_error_that_names_it() {
    let model = || ScriptedModel::turns([ScriptedTurn::say("done")]);
    let breaks = Breaks::default();
    let agent = User::builder().model(model()).server("broken", breaks.clone()).build().await.unwrap();
    let by_hand = ByHand::builder().model(model()).server("broken", breaks.clone());
    let by_hand = by_hand.build().await.unwrap();
    for (method, doing) in [
        ("generation", "listed its tools"),
        ("tools", "listed its tools"),
        ("definition", "listed its tools"),
        ("notices", "gave its notices"),
    ] {
        let expected = format!("the server `broken` panicked when it {doing}: ");
        breaks.set(method);
        if method != "notices" {
            for error in [agent.tool_names().unwrap_err(), agent.tool_definitions().unwrap_err()] {
                assert!(error.to_string().starts_with(&expected), "{error}");
            }
        }
        let error = agent.run("Go.").await.unwrap_err();
        let text = error.to_string();
        let RunError::Agent { agent: name, reason, .. } = error else { panic!("{text}") };
        assert!(&*name == "User" && reason.starts_with(&expected), "{name}: {reason}");
        let said = by_hand.run("Go.").await.unwrap().text;
        assert!(said.starts_with(&format!("Panic: {expected}")), "{said}");

        // The next list may be good again.
        breaks.set("");
        assert_eq!(agent.tool_names().unwrap(), ["broken__fine"]);
        assert_eq!(agent.run("Go.").await.unwrap().text, "done");
        assert_eq!(by_hand.run("Go.").await.unwrap().text, "done");
    }
}

/// Lists one tool of this name; from the second listing on, of the other one.
#[derive(Clone)]
struct Names(&'static str, &'static str, Arc<AtomicU64>);

struct Named(ToolDefinition);

impl DynTool for Named {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text("done")) })
    }
}

impl ToolProvider for Names {
    fn generation(&self) -> u64 {
        self.2.load(Relaxed)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let name = if self.generation() == 0 { self.0 } else { self.1 };
        vec![Arc::new(Named(ToolDefinition::new(name, "Does.")))]
    }
}

impl ToolServer for Names {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(self.clone()))
    }
}

async fn named(
    first: &'static str,
    then: &'static str,
) -> Result<(onionskin::AgentHandle, Names), BuildError> {
    let model = ScriptedModel::turns([ScriptedTurn::say("done")]);
    let names = Names(first, then, Arc::default());
    Ok((User::builder().model(model).server("broken", names.clone()).build().await?, names))
}

#[tokio::test]
async fn h4_a_tool_of_a_source_has_the_name_of_its_server_before_its_own() {
    for wrong in ["", "plain", "broken__", "other__plain", "broken_plain"] {
        let Err(error) = named(wrong, wrong).await else { panic!("`{wrong}` was accepted") };
        let text = error.to_string();
        let BuildError::ServerToolName { agent, server, tool, .. } = error else { panic!("{text}") };
        assert_eq!((agent.as_str(), server.as_str(), tool.as_str()), ("User", "broken", wrong));
        assert!(text.contains("`broken__"), "{text}");
    }
    // The server's author chose the other characters, so they are adapted for the model.
    let (agent, _) = named("broken__plain text", "").await.unwrap();
    assert_eq!(agent.tool_names().unwrap(), ["broken__plain text"]);
    assert_eq!(&*agent.tool_definitions().unwrap()[0].name, "broken__plain_text");
}

#[tokio::test]
async fn h4_a_tool_with_a_wrong_name_in_a_later_list_is_left_out_and_reported() {
    let (agent, names) = named("broken__fine", "other__fine").await.unwrap();
    names.2.store(1, Relaxed);
    let mut stream = agent.stream("Go.");
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("`other__fine`") && notices[0].contains("left out"), "{notices:?}");
    assert!(agent.tool_names().unwrap().is_empty());
}
