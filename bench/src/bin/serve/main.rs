//! What a server costs: one tool with three hooks served by us, beside the same tool without hooks served by rmcp and by FastMCP.
//!
//! Each server is a process with one thread for its work. All are driven by the same client in turns, so that what disturbs the machine
//! disturbs all of them.
//!
//! `serve` compares calls over HTTP and standard streams, `serve lists COUNT` lists and calls with many tools, `serve sessions COUNT` the
//! memory of open sessions. `serve soak MINUTES` uses our server as many clients do, and says whether its memory stays flat. `serve server
//! SERVER TRANSPORT TOOLS` is one of the servers, also for a profiler; `serve drive ADDRESS COUNT` calls one over HTTP.

mod compare;
mod http;
mod lines;
mod lists;
mod messages;
mod ours;
mod process;
mod rmcp;
mod sessions;
mod soak;

use std::io::Write as _;
use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

use process::{ServerKind, Transport};

/// The errors of the bench end it.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => runtime().block_on(compare::compare()),
        ["lists", count] => number(count).and_then(|count| runtime().block_on(lists::compare(count))),
        ["sessions", count] => number(count).and_then(|count| runtime().block_on(sessions::compare(count))),
        ["soak", minutes] => number(minutes).and_then(|minutes| runtime().block_on(soak::soak(minutes))),
        ["server", server, transport, tools] => serve(server, transport, tools),
        ["drive", address, count] => number(count).and_then(|count| {
            runtime().block_on(compare::drive(address, count))
        }),
        _ => Err("usage: serve [lists COUNT | sessions COUNT | soak MINUTES | server SERVER TRANSPORT TOOLS | drive ADDRESS COUNT]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime starts")
}

fn number(text: &str) -> Result<usize, Failure> {
    text.parse().map_err(|_| format!("`{text}` is not a number").into())
}

/// Is a server, until its client is gone.
fn serve(server: &str, transport: &str, tools: &str) -> Result<(), Failure> {
    let (tools, runtime) = (number(tools)?, runtime());
    let kind = ServerKind::parse(server).ok_or_else(|| format!("no server `{server}`"))?;
    let transport = Transport::parse(transport).ok_or_else(|| format!("no transport `{transport}`"))?;
    runtime.block_on(async {
        match kind {
            ServerKind::Ours => ours::serve(ours::three_hooks(tools).await?, transport).await,
            ServerKind::Soak => ours::serve(ours::desk().await?, transport).await,
            ServerKind::Rmcp => rmcp::serve(tools, transport).await,
            ServerKind::FastMcp => Err("FastMCP is a program of Python".into()),
        }
    })
}

/// Says where a server listens.
fn announce(address: std::net::SocketAddr) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    writeln!(out, "{address}")?;
    Ok(out.flush()?)
}
