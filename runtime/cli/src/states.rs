//! The folder in which commands of a program leave files for later ones.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use crate::program::Program;

/// The folder of a program in the user's folder of states; none if the system has no such folder.
pub(crate) fn folder(program: &Program) -> Option<PathBuf> {
    Some(program.settings.states.as_ref()?.join("onionskin").join(program.name))
}

/// A part of a name of a file for the working directory and something in it.
pub(crate) fn key(what: &str) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    // FNV-1a, because the hash of the standard library may be another one in its next version.
    let key = [here.as_os_str().as_encoded_bytes(), b"\0", what.as_bytes()].concat();
    let hash = key.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Some(format!("{hash:016x}"))
}

/// Makes a folder that others cannot read, with those above it.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
