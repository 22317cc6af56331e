//! The files of Rust that cards name, each read and parsed once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use onionskin_cards::read_file;

/// The files of one invocation, by their full paths.
#[derive(Default)]
pub(crate) struct RustFiles(HashMap<PathBuf, Option<syn::File>>);

impl RustFiles {
    /// A file; none if it cannot be read or does not parse, which rustc reports.
    pub(crate) fn get(&mut self, path: &Path) -> Option<&syn::File> {
        let read = || syn::parse_file(&read_file(path, path.to_string_lossy()).ok()?.text).ok();
        self.0.entry(path.to_owned()).or_insert_with(read).as_ref()
    }
}
