//! The package that is compiled.

use std::path::PathBuf;

#[cfg(test)]
thread_local! {
    static FOLDER: std::cell::RefCell<Option<PathBuf>> = const { std::cell::RefCell::new(None) };
}

/// The folder of the package that is compiled.
pub(crate) fn folder() -> Option<PathBuf> {
    #[cfg(test)]
    if let Some(folder) = FOLDER.with_borrow(Clone::clone) {
        return Some(folder);
    }
    std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

/// Takes this folder for that of the package, in a test.
#[cfg(test)]
pub(crate) fn with_folder<T>(folder: &std::path::Path, work: impl FnOnce() -> T) -> T {
    FOLDER.set(Some(folder.to_owned()));
    let result = work();
    FOLDER.set(None);
    result
}
