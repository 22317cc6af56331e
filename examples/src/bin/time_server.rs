//! An MCP server that gives and converts times, over its standard streams. `--local-timezone NAME` sets the time zone that
//! models are asked to use if a person names none.

use std::process::ExitCode;

use onionskin_examples::time_server::TimeServer;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let server = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(TimeServer::default()),
        ["--local-timezone", zone] => TimeServer::new(zone),
        _ => Err("usage: time_server [--local-timezone NAME]".to_owned()),
    };
    let end = match server {
        Ok(server) => server.serve_stdio().await.map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    match end {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
