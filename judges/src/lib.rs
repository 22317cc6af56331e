//! What the tests here share: where the installed programs are.

use std::path::{Path, PathBuf};

/// A file of the installed kit.
///
/// # Panics
/// If it is not there: a judge that is missing is a failure, not a reason to skip.
pub fn kit(part: &str, file: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".kit").join(file);
    assert!(
        path.exists(),
        "`{}` is not installed; run `judges/install.sh {part}` and test again",
        path.display()
    );
    path
}

/// An empty folder for one test, in the build's own temporary place.
///
/// # Panics
/// If it cannot be made.
pub fn folder(base: &str, test: &str) -> PathBuf {
    let path = Path::new(base).join(test);
    let _ = std::fs::remove_dir_all(&path);
    if let Err(error) = std::fs::create_dir_all(&path) {
        panic!("cannot make `{}`: {error}", path.display());
    }
    path
}
