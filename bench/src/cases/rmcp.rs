//! rmcp 3.11: the router built once, called without a transport. (Its documented default builds the router
//! anew for every call, which costs a thousand times as much with a hundred tools.)

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolRequestParams, CallToolResponse, RequestId};
use rmcp::service::{Peer, RequestContext, RunningService, serve_directly};
use rmcp::{ErrorData, RoleServer, ServerHandler, schemars, tool, tool_router};

use super::{Case, TEXT, add_one, calls};

struct Server;

impl ServerHandler for Server {}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct AddOne {
    /// The number.
    x: i64,
}

#[tool_router]
impl Server {
    /// Adds one.
    #[tool]
    async fn add_one(&self, Parameters(args): Parameters<AddOne>) -> String {
        add_one(args.x).await.to_string()
    }
}

struct Bench {
    router: ToolRouter<Server>,
    server: Server,
    peer: Peer<RoleServer>,
    _running: RunningService<RoleServer, Server>,
}

impl Bench {
    /// A request's context needs a peer, and only a running service has one.
    fn new() -> Self {
        let (ours, _) = tokio::io::duplex(64);
        let running = serve_directly(Server, ours, None);
        Self {
            router: Server::tool_router(),
            server: Server,
            peer: running.peer().clone(),
            _running: running,
        }
    }

    async fn call(&self, text: &str) -> Result<CallToolResponse, ErrorData> {
        let mut params = CallToolRequestParams::new("add_one");
        params.arguments =
            serde_json::from_str(text).map_err(|e| ErrorData::internal_error(e.to_string(), None))?;
        let context = RequestContext::new(RequestId::Number(1), self.peer.clone());
        self.router.call(ToolCallContext::new(&self.server, params, context)).await
    }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![calls!("rmcp", "rmcp 3.11, prebuilt ToolRouter", Bench::new(), |it| it
        .call(std::hint::black_box(TEXT)))]
}
