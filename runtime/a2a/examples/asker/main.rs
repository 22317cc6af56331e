//! Serves an agent over A2A at a port of this machine, for the judges in `judges/a2a`.
//!
//! usage: asker PORT [--remote URL]     with an address, the agent passes messages on to the remote agent there

mod agent;

use std::error::Error;
use std::net::Ipv4Addr;

use onionskin::{AgentHandle, App, a2a};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let (port, agent) = match &*args {
        [port] => (port, asker().await?),
        [port, option, url] if option == "--remote" => (port, relay(url).await?),
        _ => return Err("usage: asker PORT [--remote URL]".into()),
    };
    let port: u16 = port.parse()?;
    let skill = a2a::Skill::new("colour", "Colour", "Names a colour.").tag("colour").example("Paint it");
    let server = a2a::Server::new(agent, format!("http://127.0.0.1:{port}")).skill(skill);
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    axum::serve(listener, server.router()?).await?;
    Ok(())
}

async fn asker() -> Result<AgentHandle, Box<dyn Error>> {
    Ok(agent::Asker::builder().model(agent::Words).build().await?)
}

async fn relay(url: &str) -> Result<AgentHandle, Box<dyn Error>> {
    let remote = a2a::Remote::new(url)?.agent("Relay", "Passes messages on.");
    let app = App::builder().dyn_agent(&remote).model(agent::Words).build().await?;
    Ok(app.agent("Relay")?.clone())
}
