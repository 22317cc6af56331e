//! `new` makes a small project.

mod name;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::text;
use name::{mistake, mistake_of_package};

pub(crate) const ABOUT: &str = "\
Make a small project in a new folder: an agent in Rust with a tool, a card with a tool in a script, and a script in place of a model, so \
that all of it runs without a key. With `--cards` it has no Rust: the ready program `onionskin` runs it.

Exit code: 0 if all is well, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} new helpdesk
  {program} new helpdesk --cards
  {program} new helpdesk --path ../onionskin/runtime";

/// The files of the project beside its manifest.
const FILES: [(&str, &str); 6] = [
    ("src/main.rs", include_str!("template/main.rs")),
    ("cards/helper.md", include_str!("template/helper.md")),
    ("cards/tools.rhai", include_str!("template/tools.rhai")),
    ("script.yaml", concat!(include_str!("template/script.yaml"), include_str!("template/counter.yaml"))),
    ("README.md", include_str!("template/README.md")),
    (".gitignore", "/target\n"),
];

/// The files of a project without Rust.
const CARD_FILES: [(&str, &str); 6] = [
    ("cards/helper.md", include_str!("template/helper.md")),
    ("cards/tools.rhai", include_str!("template/tools.rhai")),
    ("script.yaml", include_str!("template/script.yaml")),
    ("onionskin.toml", include_str!("template/onionskin.toml")),
    ("README.md", include_str!("template/cards.md")),
    // The keys of providers stay on this machine.
    (".gitignore", ".env\n"),
];

#[derive(Args)]
pub(crate) struct NewArguments {
    /// The name of the project and of its folder.
    #[arg(value_name = "NAME")]
    name: String,

    /// Depend on the crate `onionskin` in this folder, in place of the published one.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,

    /// Make a project of cards, without Rust.
    #[arg(long, conflicts_with = "path")]
    cards: bool,
}

pub(crate) fn run(arguments: &NewArguments) -> Result<ExitCode, Failure> {
    let name = &*arguments.name;
    let of_package = || if arguments.cards { None } else { mistake_of_package(name) };
    if let Some(mistake) = mistake(name).or_else(of_package) {
        return Err(Failure::new(format!(
            "`{}` cannot be the name of a project: {mistake}",
            text::first_line(name)
        )));
    }
    let manifest = if arguments.cards { None } else { Some(manifest(name, arguments.path.as_deref())?) };
    let folder = Path::new(name);
    fs::create_dir(folder).map_err(|error| {
        Failure::new(if error.kind() == io::ErrorKind::AlreadyExists {
            format!("there is a `{name}` already: choose another name")
        } else {
            format!("cannot make the folder `{name}`: {error}")
        })
    })?;
    write(folder, name, manifest.as_deref()).inspect_err(|_| {
        // The command made the folder, and its files are not complete.
        let _ = fs::remove_dir_all(folder);
    })?;
    let command = if arguments.cards {
        "onionskin run \"What is 41 + 1?\""
    } else {
        "cargo run -- run --model script:script.yaml \"How many letters has onion?\""
    };
    output::aside(&format!("`{name}` is ready. Try:\n  cd {name}\n  {command}"));
    if !arguments.cards && is_in_package() {
        output::note(&format!(
            "a folder above has a `Cargo.toml`: if it is a workspace, add `{name}` to its `members`"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the files of a project, without Rust if it has no manifest.
fn write(folder: &Path, name: &str, manifest: Option<&str>) -> Result<(), Failure> {
    let files = if manifest.is_some() { FILES } else { CARD_FILES };
    for (file, text) in files.into_iter().chain(manifest.map(|text| ("Cargo.toml", text))) {
        let path = folder.join(file);
        let written = match path.parent() {
            Some(parent) => fs::create_dir_all(parent),
            None => Ok(()),
        };
        let written = written.and_then(|()| fs::write(&path, text.replace("{name}", name)));
        written.map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
    }
    Ok(())
}

fn manifest(name: &str, path: Option<&Path>) -> Result<String, Failure> {
    let source = match path {
        None => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
        Some(path) => format!("path = {}", crate_folder(path)?),
    };
    Ok(format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nrust-version = \"{}\"\n\n\
         # The program that `onionskin` runs for cards with items in Rust.\n[package.metadata.onionskin]\nprogram = \"{name}\"\n\n[dependencies]\n\
         onionskin = {{ {source}, features = [\"cli\", \"genai\", \"rhai\", \"yaml\"] }}\n",
        env!("CARGO_PKG_RUST_VERSION")
    ))
}

/// The folder of the crate `onionskin`, as a text of TOML.
fn crate_folder(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let manifest = path.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)
        .map_err(|error| Failure::new(format!("`--path`: cannot read `{}`: {error}", manifest.display())))?;
    if !text.lines().any(|line| line.trim() == "name = \"onionskin\"") {
        return Err(Failure::new(format!("`--path`: `{shown}` is not the folder of the crate `onionskin`")));
    }
    let full = path.canonicalize().map_err(|error| Failure::new(format!("`--path`: `{shown}`: {error}")))?;
    let full = full.to_str().ok_or_else(|| Failure::new(format!("`--path`: `{shown}` is not UTF-8")))?;
    // A JSON text is one of TOML too.
    serde_json::to_string(full).map_err(Failure::new)
}

fn is_in_package() -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    here.ancestors().any(|folder| folder.join("Cargo.toml").exists())
}
