//! The folder that a command works in, if another than that of the process is named.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use crate::failure::Failure;

/// The option that names it. It is before the command.
pub(crate) const OPTION: &str = "-C";

/// Makes it the folder of the process. It is called before other threads begin.
pub(crate) fn enter(folder: &Path) -> Result<(), Failure> {
    env::set_current_dir(folder)
        .map_err(|error| Failure::new(format!("cannot work in `{}`: {error}", folder.display())))
}

/// The command of the process and its arguments, without the folder.
pub(crate) fn words() -> Vec<OsString> {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let folder = match words.first() {
        Some(first) if first == OPTION => 2,
        Some(first) if first.as_encoded_bytes().starts_with(OPTION.as_bytes()) => 1,
        _ => 0,
    };
    words.into_iter().skip(folder).collect()
}
