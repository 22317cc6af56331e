//! The commands and their arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use onionskin_cards::{is_card, is_workflow_folder};
use onionskin_core::text::nearest;

#[cfg(feature = "acp")]
use crate::acp::{self, AcpArguments};
use crate::agents::AgentArguments;
use crate::chat::{self, ChatArguments};
use crate::check::{self, CheckArguments};
use crate::completions::{self, CompletionArguments};
use crate::config;
use crate::docs::{self, PageArguments};
use crate::failure::FAILED;
use crate::import::{self, ImportArguments};
use crate::list::{self, ListArguments};
#[cfg(feature = "mcp")]
use crate::mcp::McpCommand;
use crate::migrate::{self, MigrateArguments};
use crate::new::{self, NewArguments};
use crate::output;
use crate::program::Program;
use crate::run::{self, RunArguments};
use crate::schema::{self, SchemaArguments};
#[cfg(feature = "serve")]
use crate::serve::{self, ServeArguments};
use crate::sessions::SessionsCommand;
use crate::working_folder;

/// What texts of the help call the program.
const PROGRAM: &str = "{program}";

/// What `--agent` does in commands that ask no agent.
const AGENT_HELP: [(&str, &str); 4] = [
    ("list", "Show this agent first, in place of the one that `run` asks"),
    (
        "schema",
        "Print the tools of this agent, in place of the one with `default: true` or the start agent of the workflow",
    ),
    ("docs", "Begin the page with this agent, in place of the one that `run` asks"),
    ("graph", "Begin the graph with this agent, in place of the one that `run` asks"),
];

/// The commands that take agents, and no paths.
const WITH_AGENTS: [&str; 8] = ["run", "chat", "serve", "acp", "list", "schema", "docs", "graph"];

#[derive(Parser)]
#[command(arg_required_else_help = true)]
struct Arguments {
    /// Work in this folder: relative paths, settings, `.mcp.json` and the folder `cards` are there.
    #[arg(short = 'C', value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run an agent.
    #[command(long_about = run::ABOUT, after_long_help = run::EXAMPLES)]
    Run(RunArguments),
    /// Talk with an agent.
    #[command(long_about = chat::ABOUT, after_long_help = chat::EXAMPLES)]
    Chat(ChatArguments),
    /// Serve an agent to other programs over MCP.
    #[cfg(feature = "serve")]
    #[command(long_about = serve::ABOUT, after_long_help = serve::EXAMPLES)]
    Serve(ServeArguments),
    /// Serve an agent to an editor.
    #[cfg(feature = "acp")]
    #[command(long_about = acp::ABOUT, after_long_help = acp::EXAMPLES)]
    Acp(AcpArguments),
    /// Show the agents and their tools.
    #[command(long_about = list::ABOUT, after_long_help = list::EXAMPLES)]
    List(ListArguments),
    /// Print the tools of an agent as JSON.
    #[command(long_about = schema::ABOUT, after_long_help = schema::EXAMPLES)]
    Schema(SchemaArguments),
    /// Print a reference of the agents in Markdown.
    #[command(long_about = docs::DOCS, after_long_help = docs::DOCS_EXAMPLES)]
    Docs(PageArguments),
    /// Print a graph of the agents for Mermaid.
    #[command(long_about = docs::GRAPH, after_long_help = docs::GRAPH_EXAMPLES)]
    Graph(PageArguments),
    /// Check cards, workflows and configurations of servers.
    #[command(long_about = check::ABOUT, after_long_help = check::EXAMPLES)]
    Check(CheckArguments),
    /// Write the YAML of workflow folders as JSON.
    #[command(long_about = migrate::ABOUT, after_long_help = migrate::EXAMPLES)]
    Migrate(MigrateArguments),
    /// Write cards from the agents of other programs.
    #[command(long_about = import::ABOUT, after_long_help = import::EXAMPLES)]
    Import(ImportArguments),
    /// Make a small project.
    #[command(long_about = new::ABOUT, after_long_help = new::EXAMPLES)]
    New(NewArguments),
    /// Show and change stored sessions.
    #[command(arg_required_else_help = true)]
    Sessions {
        #[command(subcommand)]
        command: SessionsCommand,
    },
    /// Show the settings of files and of the environment.
    #[command(long_about = config::ABOUT, after_long_help = config::EXAMPLES)]
    Config,
    /// Print completions for a shell.
    #[command(long_about = completions::ABOUT, after_long_help = completions::EXAMPLES)]
    Completions(CompletionArguments),
    /// Lock and list the tools of MCP servers.
    #[cfg(feature = "mcp")]
    #[command(arg_required_else_help = true)]
    Mcp {
        #[command(subcommand)]
        command: McpCommand,
    },
}

impl Command {
    /// The agents that it works with.
    pub(crate) fn agents(&mut self) -> Option<&mut AgentArguments> {
        match self {
            Self::Run(arguments) => Some(&mut arguments.agents),
            Self::Chat(arguments) => Some(&mut arguments.agents),
            #[cfg(feature = "serve")]
            Self::Serve(arguments) => Some(&mut arguments.agents),
            #[cfg(feature = "acp")]
            Self::Acp(arguments) => Some(&mut arguments.agents),
            Self::List(arguments) => Some(&mut arguments.agents),
            Self::Schema(arguments) => Some(&mut arguments.agents),
            Self::Docs(arguments) | Self::Graph(arguments) => Some(&mut arguments.agents),
            Self::Check(_)
            | Self::Config
            | Self::Migrate(_)
            | Self::Import(_)
            | Self::New(_)
            | Self::Sessions { .. }
            | Self::Completions(_) => None,
            #[cfg(feature = "mcp")]
            Self::Mcp { .. } => None,
        }
    }
}

/// The commands of a program, for the parser, the help and completions.
pub(crate) fn commands(program: &Program) -> clap::Command {
    let about =
        if program.about.is_empty() { "Tools, hooks and agents for language models" } else { program.about };
    let commands =
        Arguments::command().name(program.name).bin_name(program.name).version(program.version).about(about);
    // They are those of the ready program.
    let commands = commands.mut_subcommand("config", |config| config.hide(!program.is_ready_program()));
    let commands = AGENT_HELP.into_iter().fold(commands, |commands, (name, help)| {
        commands.mut_subcommand(name, |command| command.mut_arg("agent", |agent| agent.help(help)))
    });
    #[cfg(all(feature = "serve", feature = "sqlite"))]
    let commands = commands.mut_subcommand("serve", |serve| {
        serve.mut_arg("sessions", |sessions| sessions.help(serve::SESSIONS).long_help(serve::SESSIONS))
    });
    named(commands, program.name)
}

/// Writes the name of the program in the texts of commands.
fn named(command: clap::Command, name: &str) -> clap::Command {
    let replaced = |text: Option<&clap::builder::StyledStr>| {
        text.map(|text| text.to_string().replace(PROGRAM, name)).filter(|text| !text.is_empty())
    };
    let (about, examples) = (replaced(command.get_long_about()), replaced(command.get_after_long_help()));
    let mut command = command.mut_subcommands(|command| named(command, name));
    if let Some(about) = about {
        command = command.long_about(about);
    }
    if let Some(examples) = examples {
        command = command.after_long_help(examples);
    }
    command
}

/// Reads the arguments of the process, which works in the folder that they name from here on. Help and mistakes are shown; they give the exit code.
pub(crate) fn read(program: &Program) -> Result<Command, ExitCode> {
    let read = commands(program).try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    match read {
        Ok(Arguments { folder, command }) => match folder.as_deref().map(working_folder::enter) {
            Some(Err(failure)) => Err(output::failure(&failure)),
            Some(Ok(())) | None => Ok(command),
        },
        Err(error) => {
            let text = error.render().to_string();
            if error.use_stderr() {
                output::aside(text.trim_end());
                if let Some(feature) = missing_feature(&error) {
                    output::aside(&format!(
                        "\nthe program was built without `{feature}`: add this feature of onionskin to its `Cargo.toml`"
                    ));
                } else if let Some(near) = near_command(program, &error) {
                    output::aside(&format!("\nthere is a command `{near}`"));
                }
                if error.kind() == ErrorKind::UnknownArgument
                    && let Some(option) = missed_option(&working_folder::words())
                {
                    output::aside(&option);
                }
            } else if let Err(failure) = output::text(&text) {
                return Err(output::failure(&failure));
            }
            Err(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(FAILED)))
        }
    }
}

/// The feature of a command that the program was built without.
fn missing_feature(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let commands =
        [("serve", cfg!(feature = "serve")), ("acp", cfg!(feature = "acp")), ("mcp", cfg!(feature = "mcp"))];
    commands.into_iter().find(|(name, is_there)| word == name && !is_there).map(|(name, _)| name)
}

/// The command that a mistyped word most likely means, where the parser proposes none.
fn near_command(program: &Program, error: &clap::Error) -> Option<String> {
    let (None, Some(ContextValue::String(word))) =
        (error.get(ContextKind::SuggestedSubcommand), error.get(ContextKind::InvalidSubcommand))
    else {
        return None;
    };
    let commands = commands(program);
    nearest(word, commands.get_subcommands().map(clap::Command::get_name)).map(str::to_owned)
}

/// Which option is missing, if a file of agents is in the place of the first argument.
fn missed_option(arguments: &[OsString]) -> Option<String> {
    let [command, first, ..] = arguments else { return None };
    let path = Path::new(first);
    let (what, option) = match path {
        _ if !WITH_AGENTS.iter().any(|name| command == name) => return None,
        card if card.is_file() && is_card(card) => ("a card", "--card"),
        folder if folder.is_dir() && is_workflow_folder(folder) => ("a workflow folder", "--workflow"),
        _ => return None,
    };
    Some(format!("\nname {what} with `{option} {}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Program, commands};

    #[test]
    fn o1_the_arguments_are_consistent() {
        commands(&Program::new("helper", "1.0.0")).debug_assert();
    }
}
