//! Reads the arguments of the process, runs their command and gives its exit code.

use std::process::ExitCode;

#[cfg(feature = "acp")]
use crate::acp;
use crate::arguments::{self, Command};
use crate::docs::{self, Page};
use crate::failure::Failure;
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::package::PackageProgram;
use crate::program::Program;
#[cfg(feature = "serve")]
use crate::serve;
use crate::settings::Settings;
use crate::signals::LAST_WORK;
use crate::{chat, check, completions, config, import, list, migrate, new, output, run, schema, sessions};

impl Program {
    /// Reads the arguments of the process and runs their command.
    ///
    /// The exit code is 0 if all is well, 1 if a command found problems or a difference, 2 after a failure, and 128 and the number of the
    /// signal that ended the command: 130 after Ctrl-C.
    pub fn main(mut self) -> ExitCode {
        let mut command = match arguments::read(&self) {
            Ok(command) => command,
            Err(code) => return code,
        };
        // The program of a package takes the place of `onionskin`, and has its own settings.
        let settings = if self.is_ready_program() { Settings::read() } else { Ok(Settings::new()) };
        match settings {
            Ok(settings) => self.settings = settings,
            Err(failure) => return output::failure(&failure),
        }
        let of_package = match command.agents() {
            Some(agents) => {
                agents.or_cards(&self);
                PackageProgram::for_agents(&self, agents)
            }
            None => Ok(None),
        };
        match of_package {
            Ok(None) => {}
            Ok(Some(program)) => return program.run().unwrap_or_else(|failure| output::failure(&failure)),
            Err(failure) => return output::failure(&failure),
        }
        let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return output::failure(&Failure::new(error)),
        };
        #[cfg(feature = "mcp-auth")]
        mcp::use_stored_logins(&self);
        let done = runtime.block_on(self.execute(command));
        // Drops the tasks that a run has left.
        runtime.shutdown_timeout(LAST_WORK);
        match done {
            Ok(code) => code,
            Err(failure) => output::failure(&failure),
        }
    }

    async fn execute(&self, command: Command) -> Result<ExitCode, Failure> {
        match command {
            Command::Run(arguments) => run::run(self, arguments).await,
            Command::Chat(arguments) => chat::run(self, arguments).await,
            #[cfg(feature = "serve")]
            Command::Serve(arguments) => Box::pin(serve::run(self, arguments)).await,
            #[cfg(feature = "acp")]
            Command::Acp(arguments) => acp::run(self, arguments).await,
            Command::List(arguments) => list::run(self, arguments).await,
            Command::Schema(arguments) => schema::run(self, arguments).await,
            Command::Docs(arguments) => docs::run(self, Page::Markdown, arguments).await,
            Command::Graph(arguments) => docs::run(self, Page::Mermaid, arguments).await,
            Command::Check(arguments) => check::run(self, arguments).await,
            Command::Migrate(arguments) => migrate::run(&arguments),
            Command::Import(arguments) => import::run(self, &arguments),
            Command::New(arguments) => new::run(&arguments),
            Command::Sessions { command } => sessions::run(self, command).await,
            Command::Config => config::run(self),
            Command::Completions(arguments) => completions::run(arguments::commands(self), &arguments),
            #[cfg(feature = "mcp")]
            Command::Mcp { command } => mcp::run(self, command).await,
        }
    }
}
