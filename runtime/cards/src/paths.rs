//! Paths of files.

use std::path::{Component, Path, PathBuf};

/// A path as messages show it, with `/` on each system.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The name of an agent by its file.
pub(crate) fn default_name(path: &Path) -> Option<String> {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
}

/// A path without `.` and without `..` behind a name, so that one file has one path.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part @ (Component::Prefix(_)
            | Component::RootDir
            | Component::ParentDir
            | Component::Normal(_)) => normal.push(part),
        }
    }
    normal
}
