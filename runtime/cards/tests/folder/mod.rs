//! Folders with files, for the tests of several crates.
#![allow(dead_code, reason = "some tests use one of the functions")]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;

use tempfile::TempDir;

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    folder_below("", files.iter().copied())
}

/// A folder with these files, all of them below `base`. A file with the text `(none)` is left out.
pub(crate) fn folder_below(
    base: &str,
    files: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join(base);
    fs::create_dir_all(&base).unwrap();
    for (name, text) in files {
        if text.as_ref() != "(none)" {
            let path = base.join(name.as_ref());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.as_ref()).unwrap();
        }
    }
    folder
}
