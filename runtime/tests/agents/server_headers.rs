//! Headers of agents for servers that cannot send them.

use std::sync::Arc;

use onionskin::declaration::AgentDeclaration;
use onionskin::run::AgentRun;
use onionskin::servers::{BoxError, ProviderRequest, RunHeader, ServerKind, ToolProvider, ToolServer};
use onionskin::{Agent, BuildError, RunError, ScriptedModel, Secret};

/// A source that is no MCP server, or says that it is one.
struct Source(ServerKind);

impl ToolServer for Source {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let names: Vec<_> = request.headers().iter().map(RunHeader::name).collect();
        assert_eq!(names, ["x-key"]);
        Ok(Arc::new(Vec::new()))
    }

    fn kind(&self) -> ServerKind {
        self.0
    }
}

fn header() -> RunHeader {
    RunHeader::new("X-Key", |_| Ok(Secret::new("key".to_owned())))
}

struct Keyed;

impl Agent for Keyed {
    const NAME: &'static str = "keyed";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("rooms", None).server_header("rooms", header())
    }

    async fn run(_: &AgentRun, input: String) -> Result<String, RunError> {
        Ok(input)
    }
}

/// Its header is for another server.
struct Misspelt;

impl Agent for Misspelt {
    const NAME: &'static str = "misspelt";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("rooms", None).server_header("room", header())
    }

    async fn run(_: &AgentRun, input: String) -> Result<String, RunError> {
        Ok(input)
    }
}

#[tokio::test]
async fn a4_headers_are_for_declared_servers_that_send_them() {
    let builder = Keyed::builder().model(ScriptedModel::new());
    builder.server("rooms", Source(ServerKind::Mcp)).build().await.unwrap();

    let builder = Keyed::builder().model(ScriptedModel::new());
    let error = builder.server("rooms", Source(ServerKind::Other)).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::ServerPart { what, .. } if what.contains("`x-key`")), "{error}");
    assert_eq!(
        error.to_string(),
        "the agent `keyed` cannot send the header `x-key` to the server `rooms`: it is not an MCP server: its own code gets \
         the run of each call"
    );

    let builder = Misspelt::builder().model(ScriptedModel::new());
    let error = builder.server("rooms", Source(ServerKind::Mcp)).build().await.unwrap_err();
    assert!(error.to_string().contains("the agent does not use this server"), "{error}");
}
