//! All cases as the programs of one package, so that one run of cargo checks them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::normal::normal;

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The folder of the packages.
pub(crate) const TMP: &str = env!("CARGO_TARGET_TMPDIR");

/// What rustc says about each of the programs, by their paths. `name` is the package's.
pub(crate) fn check(name: &str, programs: &[String]) -> BTreeMap<String, String> {
    assert!(!programs.is_empty(), "no case is called so");
    let folder = package(name, programs);
    let output = onionskin_ui_tests::cargo(TMP, "check")
        .args(["--keep-going", "--bins", "--message-format=json"])
        .current_dir(&folder)
        // Nothing is compiled twice.
        .env("CARGO_INCREMENTAL", "0")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut shown: BTreeMap<String, String> =
        programs.iter().map(|program| (program.clone(), String::new())).collect();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        if message["reason"] != "compiler-message" {
            continue;
        }
        let program =
            message["target"]["src_path"].as_str().and_then(|path| Path::new(path).strip_prefix(root()).ok());
        let Some(shown) = program.and_then(|program| shown.get_mut(program.to_str().unwrap())) else {
            assert_ne!(
                message["message"]["level"],
                "error",
                "what the cases depend on does not compile:\n{}",
                message["message"]["rendered"].as_str().unwrap()
            );
            continue;
        };
        let message = normal(&message["message"], program.unwrap().to_str().unwrap());
        if !message.is_empty() {
            let _ = write!(shown, "{}{message}", if shown.is_empty() { "" } else { "\n" });
        }
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && shown.values().any(|shown| !shown.is_empty()),
        "cargo checked nothing:\n{errors}"
    );
    shown
}

/// The folders of the cards that cases name.
const CARDS: [&str; 2] = ["ui-tests/tests/fail/card", "ui-tests/tests/fail/workflow"];

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        if from.is_dir() { copy(&from, &to.join(name)) } else { _ = fs::copy(&from, to.join(name)).unwrap() }
    }
}

/// Writes the package.
fn package(name: &str, programs: &[String]) -> PathBuf {
    let folder = Path::new(TMP).join(name);
    fs::create_dir_all(&folder).unwrap();
    let root = root().display();
    let mut manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\nautobins = false\n\n[workspace]\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n\
         [dependencies]\nonionskin = {{ path = \"{root}/runtime\", features = [\"cards\", \"cli\"] }}\nschemars = \"1.2\"\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n"
    );
    for (nth, program) in programs.iter().enumerate() {
        let _ = write!(manifest, "\n[[bin]]\nname = \"case{nth:03}\"\npath = \"{root}/{program}\"\n");
    }
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // Cards are named from the folder of the package.
    for cards in CARDS {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(cards);
        copy(&from, &folder.join(cards.split_once('/').unwrap().1));
    }
    fs::copy(format!("{root}/Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    folder
}
