//! A package with a lock file of servers, compiled.

#[path = "../../../../ui-tests/src/clean_cargo.rs"]
mod clean_cargo;

use std::fs;
use std::path::Path;

use onionskin::mcp::snapshot::Snapshot;

use clean_cargo::clean_cargo;

/// What cargo says of a package with this program, which uses onionskin with these features, and this lock file.
pub(crate) fn compile(name: &str, features: &[&str], program: &str, lock_file: &Snapshot) -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join(name);
    fs::create_dir_all(folder.join("src")).unwrap();
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = above.find(|folder| folder.join("Cargo.lock").exists()).unwrap();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n\
         [dependencies]\nonionskin = {{ path = \"{root}/runtime\", features = {features:?} }}\n\
         # With its features, what the package depends on is checked once for it and for the programs of `ui-tests`.\n\
         onionskin-ui-tests = {{ path = \"{root}/ui-tests\" }}\n",
        root = root.display()
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::write(folder.join("src/main.rs"), program).unwrap();
    lock_file.write(folder.join(Snapshot::FILE)).unwrap();
    let output = clean_cargo()
        .args(["check", "--offline", "--quiet", "--color=never"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", target.parent().unwrap())
        // No flags of a person's own: this comes before `RUSTFLAGS` and the files of cargo, also when it is empty.
        .env("CARGO_ENCODED_RUSTFLAGS", "")
        .output()
        .unwrap();
    String::from_utf8(output.stderr).unwrap()
}
