//! What the tests here share: where the installed programs are.

use std::path::{Path, PathBuf};
use std::process::Command;

use onionskin::mcp::ServerConfig;

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

/// A server of the kit that runs in Node.
///
/// # Panics
/// As [`kit`].
pub fn npm(server: &str) -> ServerConfig {
    let program = kit("mcp", &format!("mcp-npm/node_modules/@modelcontextprotocol/{server}/dist/index.js"));
    ServerConfig::stdio(kit("mcp", "bin/node").to_string_lossy()).arg(program.to_string_lossy())
}

/// A server of the kit that runs in Python.
///
/// # Panics
/// As [`kit`].
pub fn python(server: &str) -> ServerConfig {
    ServerConfig::stdio(kit("mcp", &format!("mcp-python/bin/{server}")).to_string_lossy())
}

/// Makes a git repository of one commit in a folder.
///
/// # Panics
/// If git is missing or fails.
pub fn repository(folder: &Path, message: &str) {
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        match Command::new("git").current_dir(folder).args(identity).args(arguments).output() {
            Ok(run) if run.status.success() => {}
            other => panic!("git {arguments:?}: {other:?}"),
        }
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", message]);
}
