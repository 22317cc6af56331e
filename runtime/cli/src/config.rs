//! `config` shows the settings, and where each is from.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::model;
use crate::output;
use crate::program::Program;
#[cfg(feature = "sqlite")]
use crate::sessions;
use crate::settings::{PROJECT_FILE, variable};
use crate::text;
use crate::variables::FILE;

pub(crate) const ABOUT: &str = "\
Show the settings that commands use where no option says it, and where each is from.

An option wins over a variable of the environment, this over `onionskin.toml` in the working directory, and this over the user's file. A file \
`.env` in the working directory sets variables that the environment does not have, such as the keys of providers. No key is shown. Neither of \
these two files can choose `sessions`.

Exit code: 0 if all is well, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} config
  ONIONSKIN_MODEL=gpt-4o-mini {program} config";

/// The file that a setting has if it is not set.
#[cfg(feature = "sqlite")]
fn default(program: &Program, key: &str) -> Option<PathBuf> {
    (key == "sessions").then(|| sessions::default_file(program)).flatten()
}

#[cfg(not(feature = "sqlite"))]
fn default(_: &Program, _: &str) -> Option<PathBuf> {
    None
}

pub(crate) fn run(program: &Program) -> Result<ExitCode, Failure> {
    if !program.is_ready_program() {
        return Err(Failure::new(
            "the settings are those of the program `onionskin`; this program has its own in its `setup`",
        ));
    }
    let settings = &program.settings;
    let mut shown = String::new();
    for (key, setting) in settings.rows() {
        let line = match setting {
            // The other parts of an address can hold a key.
            Some((value, from)) if key == "base_url" => {
                format!("the server `{}`, from {from}", model::host(&value).unwrap_or_default())
            }
            Some((value, from)) => format!("{}, from {from}", text::first_line(&value)),
            None => {
                let default = default(program, key)
                    .map_or_else(String::new, |file| format!("{} for this folder, ", text::path(&file)));
                format!("{default}(not set; the variable is `{}`)", variable(key))
            }
        };
        _ = writeln!(shown, "{key}: {line}");
    }
    _ = writeln!(shown, "project: {PROJECT_FILE}");
    if let Some(file) = &settings.user_file {
        _ = writeln!(shown, "user: {}", file.display());
    }
    let variables = match &*settings.variables {
        [] => "no variables".to_owned(),
        names => text::quoted(names.iter().map(String::as_str)),
    };
    _ = writeln!(shown, "{FILE}: {variables}");
    output::text(&shown)?;
    Ok(ExitCode::SUCCESS)
}
