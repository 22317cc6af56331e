//! rmcp's own server: the router built once, without hooks.

use std::sync::Arc;

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ServerHandler, ServiceExt as _, schemars, tool, tool_handler, tool_router};

use crate::process::Transport;
use crate::{Failure, announce};

#[derive(Clone)]
struct Adder {
    router: Arc<ToolRouter<Self>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct AddOne {
    /// The number.
    x: i64,
}

#[tool_router]
impl Adder {
    /// Adds one.
    #[tool]
    async fn add_one(&self, Parameters(args): Parameters<AddOne>) -> String {
        (args.x + 1).to_string()
    }

    fn new(tools: usize) -> Self {
        let mut router = Self::tool_router();
        for number in 1..tools {
            let mut attributes = Self::add_one_tool_attr();
            attributes.name = format!("add_one_{number}").into();
            router.add_route(ToolRoute::new(attributes, Self::add_one));
        }
        Self { router: Arc::new(router) }
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Adder {}

pub(crate) async fn serve(tools: usize, transport: Transport) -> Result<(), Failure> {
    let adder = Adder::new(tools);
    match transport {
        Transport::Stdio => {
            let streams = (tokio::io::stdin(), tokio::io::stdout());
            adder.serve(streams).await?.waiting().await?;
        }
        Transport::Http => {
            let service = StreamableHttpService::new(
                move || Ok(adder.clone()),
                Arc::<LocalSessionManager>::default(),
                Default::default(),
            );
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
            announce(listener.local_addr()?)?;
            let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
                let _ = stream.set_nodelay(true);
            });
            axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
        }
    }
    Ok(())
}
