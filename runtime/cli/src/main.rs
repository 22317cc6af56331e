//! The command line of onionskin. `onionskin --help` shows its commands.

#![forbid(unsafe_code)]

mod arguments;
mod list;
mod lock;
mod output;
mod servers;

use std::process::ExitCode;

use arguments::{Arguments, Command, McpCommand};
use clap::Parser as _;

/// The exit code of a failure.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let Arguments { command: Command::Mcp { command } } = Arguments::parse();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&Failure::new(error)),
    };
    let done = runtime.block_on(async {
        match command {
            McpCommand::Lock(arguments) => lock::run(arguments).await,
            McpCommand::List(arguments) => list::run(arguments).await,
        }
    });
    match done {
        Ok(code) => code,
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &Failure) -> ExitCode {
    if !failure.text.is_empty() {
        output::error(&failure.text);
    }
    ExitCode::from(failure.code)
}

/// Why a command ends without a result.
#[derive(Debug)]
struct Failure {
    /// For the user; may be empty.
    text: String,
    code: u8,
}

impl Failure {
    fn new(error: impl std::fmt::Display) -> Self {
        Self { text: error.to_string(), code: FAILED }
    }

    /// A signal ended the command. Shells expect 128 and the signal's number.
    fn interrupted(signal: u8) -> Self {
        Self { text: String::new(), code: 128 + signal }
    }
}
