//! Agents over A2A, over loopback: both bindings, tasks, streams, mistakes of clients, and remote agents as children.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

#[path = "../../examples/asker/agent.rs"]
mod agent;
mod bindings;
mod client;
mod malformed;
mod remote;
mod tasks;

use std::net::Ipv4Addr;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use onionskin::AgentHandle;
use onionskin::a2a::{Server, ServerLimits, User};

/// Serves an agent at a free port. The header `x-user` is the user, as a check of credentials would find it.
async fn serve(server: impl FnOnce(String) -> Server) -> String {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/clerk", listener.local_addr().unwrap());
    let user = async |mut request: Request, next: Next| {
        let user = request.headers().get("x-user").and_then(|user| user.to_str().ok()).map(User::new);
        if let Some(user) = user {
            request.extensions_mut().insert(user);
        }
        next.run(request).await
    };
    let routes = server(url.clone()).router().unwrap().layer(from_fn(user));
    let app = axum::Router::new().nest("/clerk", routes);
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    url
}

async fn asker() -> AgentHandle {
    agent::Asker::builder().model(agent::Words).build().await.unwrap()
}

async fn serve_asker() -> String {
    let asker = asker().await;
    serve(|url| Server::new(asker, url)).await
}

async fn serve_limited(change: impl FnOnce(&mut ServerLimits)) -> String {
    let asker = asker().await;
    let mut limits = ServerLimits::default();
    change(&mut limits);
    serve(|url| Server::new(asker, url).limits(limits)).await
}
