//! Reads a line of the user: it is an input for the agent, or a command of the chat.

use std::path::{Path, PathBuf};

use onionskin_core::text::nearest;

use crate::text;

/// What `/help` shows.
pub(super) const HELP: &str = "\
/tools        the tools of the agent
/system       the system prompt of its next run
/usage        the tokens of the last run and of the conversation
/undo         take the last input and its answer out of the conversation, or undo `/clear` and `/load`
/retry        send the last input again, in place of the first time
/clear        begin a new conversation
/save FILE    write the conversation to a new file; `/save! FILE` replaces one
/load FILE    go on with a conversation from a file
/resume       ask the questions of a paused run again
/quit         leave, as Ctrl-D does
//TEXT        an input that begins with a slash

Ctrl-C cancels a run; on an empty line it leaves. The arrow keys bring earlier inputs back. Alt-Enter, or Enter after a `\\`, begins \
another line of the input.";

/// A line of the user.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Nothing,
    Input(String),
    /// The line has no effect; what to write instead.
    Hint(&'static str),
    Help,
    Tools,
    System,
    Usage,
    Save {
        file: PathBuf,
        replace: bool,
    },
    Load {
        file: PathBuf,
    },
    Resume,
    Undo,
    Retry,
    Clear,
    Quit,
}

const NAMES: [&str; 12] = [
    "/help", "/tools", "/system", "/usage", "/undo", "/retry", "/clear", "/save", "/save!", "/load",
    "/resume", "/quit",
];

/// What people write to leave other programs.
const LEAVING: [&str; 2] = ["exit", "quit"];

/// Reads a line. The error says what to write instead.
pub(super) fn read(line: &str) -> Result<Command, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(Command::Nothing);
    }
    if let Some(input) = line.strip_prefix("//") {
        return Ok(Command::Input(format!("/{input}")));
    }
    if LEAVING.contains(&line) {
        return Ok(Command::Hint("`/quit` leaves"));
    }
    if !line.starts_with('/') {
        return Ok(Command::Input(line.to_owned()));
    }
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let alone = |command| match rest {
        "" => Ok(command),
        _ => Err(format!("`{name}` takes nothing after it")),
    };
    let file = || match rest {
        "" => Err(format!("name a file: `{name} chat.json`")),
        file => Ok(text::file(Path::new(file))),
    };
    match name {
        "/help" => alone(Command::Help),
        "/tools" => alone(Command::Tools),
        "/system" => alone(Command::System),
        "/usage" => alone(Command::Usage),
        "/save" => file().map(|file| Command::Save { file, replace: false }),
        "/save!" => file().map(|file| Command::Save { file, replace: true }),
        "/load" => file().map(|file| Command::Load { file }),
        "/resume" => alone(Command::Resume),
        "/undo" => alone(Command::Undo),
        "/retry" => alone(Command::Retry),
        "/clear" => alone(Command::Clear),
        "/quit" => alone(Command::Quit),
        _ => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> String {
    let hint = match nearest(name, NAMES) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`/help` shows the commands.".to_owned(),
    };
    format!(
        "there is no command `{name}`; {hint} An input that begins with a slash is written with two: `/{name}`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_a_line_is_an_input_or_a_command() {
        assert_eq!(read("  "), Ok(Command::Nothing));
        assert_eq!(read(" hello /tools "), Ok(Command::Input("hello /tools".to_owned())));
        assert_eq!(read("//etc/hosts?"), Ok(Command::Input("/etc/hosts?".to_owned())));
        assert_eq!(read(" exit\n"), Ok(Command::Hint("`/quit` leaves")));
        assert_eq!(read("exit the loop"), Ok(Command::Input("exit the loop".to_owned())));
        assert_eq!(read("/tools"), Ok(Command::Tools));
        let save = |replace| Ok(Command::Save { file: "a b.json".into(), replace });
        assert_eq!(read("/save a b.json "), save(false));
        assert_eq!(read("/save! a b.json"), save(true));
    }

    #[test]
    fn o1_a_mistake_in_a_command_says_what_to_write() {
        assert!(read("/tols").unwrap_err().contains("did you mean `/tools`?"));
        assert!(read("/x").unwrap_err().contains("`/help` shows the commands. An input that begins"));
        assert!(read("/etc/hosts").unwrap_err().contains("`//etc/hosts`"));
        assert_eq!(read("/load").unwrap_err(), "name a file: `/load chat.json`");
        assert_eq!(read("/quit now").unwrap_err(), "`/quit` takes nothing after it");
    }

    #[test]
    fn o1_the_help_names_each_command() {
        assert!(NAMES.iter().filter(|name| **name != "/help").all(|name| HELP.contains(name)));
    }
}
