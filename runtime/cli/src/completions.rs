//! `completions` prints a script that completes commands and options in a shell.

use std::process::ExitCode;

use clap::Args;
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::output;

pub(crate) const ABOUT: &str = "\
Print a script by which a shell completes the commands and options.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} completions bash > ~/.local/share/bash-completion/completions/{program}
  {program} completions zsh > ~/.zfunc/_{program}
  {program} completions fish > ~/.config/fish/completions/{program}.fish";

#[derive(Args)]
pub(crate) struct CompletionArguments {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Prints the completions of these commands.
pub(crate) fn run(mut commands: clap::Command, arguments: &CompletionArguments) -> Result<ExitCode, Failure> {
    let name = commands.get_name().to_owned();
    let mut script = Vec::new();
    generate(arguments.shell, &mut commands, name, &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
