//! The program of a package, for cards that name items in Rust. The ready program runs it in its own place.
//!
//! A package names the program in its manifest. It is a binary with `onionskin::main!`, whose registry has the items:
//!
//! ```toml
//! [package.metadata.onionskin]
//! program = "reports"
//! ```

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use onionskin_loader::{LoadError, Mistake};
use serde::Deserialize;
use serde_json::Value;

use crate::agents::AgentArguments;
use crate::failure::Failure;
use crate::loaded::{first_in_rust, loader, with_children};
use crate::output;
use crate::program::Program;
use crate::text;
use crate::working_folder;

/// The variable that the program of a package gets, so that one without a registry does not run itself.
const MARK: &str = "ONIONSKIN_PACKAGE_PROGRAM";

/// A binary of a package.
pub(crate) struct PackageProgram {
    manifest: PathBuf,
    name: String,
}

/// What `cargo metadata` prints of a package. Other fields are not of use here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    manifest_path: PathBuf,
    targets: Vec<Target>,
    metadata: Option<HashMap<String, Value>>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// `package.metadata.onionskin`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    program: String,
}

impl PackageProgram {
    /// The program that runs a command on these agents in place of this one: that of the package around the first card that names an item
    /// in Rust. None if this program has agents or items of its own, if no card names such an item, or if the package names no program.
    pub(crate) fn for_agents(program: &Program, agents: &AgentArguments) -> Result<Option<Self>, Failure> {
        if program.registry.is_some() || !program.agents.is_empty() || env::var_os(MARK).is_some() {
            return Ok(None);
        }
        // Cards outside of a package are not loaded twice.
        if !agents.cards.iter().chain(&agents.workflow).any(|path| manifest_around(path).is_some()) {
            return Ok(None);
        }
        let error = mistakes(program, agents);
        let Some(mistake) = error.as_ref().and_then(first_in_rust) else { return Ok(None) };
        let found = Self::around(mistake)?;
        if let Some(Self { manifest, name }) = &found {
            output::note(&format!(
                "`{}` names items in Rust, so this runs the program `{name}` of `{}`",
                text::first_line(&mistake.file),
                manifest.display()
            ));
        }
        Ok(found)
    }

    /// The program of the package around the file of a mistake, if the package names one.
    pub(crate) fn around(mistake: &Mistake) -> Result<Option<Self>, Failure> {
        match manifest_around(Path::new(&mistake.file)) {
            Some(manifest) => Self::read(&manifest),
            None => Ok(None),
        }
    }

    fn read(manifest: &Path) -> Result<Option<Self>, Failure> {
        let here = env::current_dir().unwrap_or_default();
        let shown = manifest.strip_prefix(here).unwrap_or(manifest);
        let failed = |reason: &str| Failure::new(format!("`{}`: {reason}", shown.display()));
        let read = Command::new(cargo())
            .args(["metadata", "--format-version=1", "--no-deps", "--color=never", "--manifest-path"])
            .arg(manifest)
            .output();
        // Without cargo there is no program of the package: the card's own error says what it needs.
        let Ok(read) = read else { return Ok(None) };
        if !read.status.success() {
            return Err(failed(String::from_utf8_lossy(&read.stderr).trim_end()));
        }
        let Metadata { packages } =
            serde_json::from_slice(&read.stdout).map_err(|error| failed(&error.to_string()))?;
        let is_it = |package: &Package| same_file(&package.manifest_path, manifest);
        let Some(package) = packages.into_iter().find(is_it) else { return Ok(None) };
        let Some(section) = package.metadata.and_then(|mut all| all.remove("onionskin")) else {
            return Ok(None);
        };
        let Section { program } = serde_json::from_value(section)
            .map_err(|error| failed(&format!("`package.metadata.onionskin`: {error}")))?;
        let binaries =
            package.targets.into_iter().filter(|target| target.kind.iter().any(|kind| kind == "bin"));
        let binaries: Vec<String> = binaries.map(|target| target.name).collect();
        if !binaries.contains(&program) {
            let there_are = match &*binaries {
                [] => "no binary".to_owned(),
                names => text::quoted(names.iter().map(String::as_str)),
            };
            return Err(failed(&format!(
                "`package.metadata.onionskin` names the program `{}`, and the package has {there_are}",
                text::first_line(&program)
            )));
        }
        Ok(Some(Self { manifest: shown.to_owned(), name: program }))
    }

    /// Builds the program and runs it with the arguments of this process. It has the same working directory, input and output.
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let mut command = Command::new(cargo());
        command.args(["run", "--manifest-path"]).arg(&self.manifest).args(["--bin", &self.name, "--"]);
        command.args(working_folder::words()).env(MARK, &self.name);
        in_place(command).map_err(|error| Failure::new(format!("cannot start cargo: {error}")))
    }
}

impl fmt::Display for PackageProgram {
    /// The command that runs it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { manifest, name } = self;
        let manifest = text::shell_word(&manifest.to_string_lossy());
        write!(f, "cargo run --manifest-path {manifest} --bin {name} --")
    }
}

/// Why the files of the arguments cannot be loaded.
fn mistakes(program: &Program, arguments: &AgentArguments) -> Option<LoadError> {
    let loader = loader(program);
    match &arguments.workflow {
        Some(folder) => loader.load_workflow(folder).err(),
        None if arguments.cards.is_empty() => None,
        None => loader.load(with_children(program, &arguments.cards)).err(),
    }
}

/// The manifest of the package around a file or a folder.
pub(crate) fn manifest_around(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    path.ancestors().map(|folder| folder.join("Cargo.toml")).find(|manifest| manifest.is_file())
}

/// Cargo, as the process that started this one names it.
fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Replaces this process, so that signals and the terminal belong to the command.
#[cfg(unix)]
fn in_place(mut command: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;

    Err(command.exec())
}

/// Runs the command and gives its exit code.
#[cfg(not(unix))]
fn in_place(mut command: Command) -> std::io::Result<ExitCode> {
    use crate::failure::FAILED;

    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(FAILED)))
}
