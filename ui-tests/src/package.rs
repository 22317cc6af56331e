//! A package of programs with mistakes, and what rustc says of them.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::Value;

use crate::cargo;

const MANIFEST: &str = r#"
[package]
name = "programs"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
onionskin = { path = "ONIONSKIN", features = ["cards", "cli", "testing"] }
schemars = "1.2"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread", "time"] }
"#;

/// A package that a test writes. Its programs are in `src/bin`.
#[derive(Debug)]
pub struct Package {
    tmp: &'static str,
    folder: PathBuf,
}

/// A message of rustc.
#[derive(Debug)]
pub struct Said {
    /// The name of the program.
    pub program: String,
    /// `error` or `warning`.
    pub level: String,
    /// The files with the places that it is about, from the folder of the package.
    pub files: Vec<String>,
    /// The message as a terminal shows it.
    pub text: String,
}

impl Package {
    /// The folder of the repository.
    pub fn root() -> &'static Path {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        here.parent().unwrap_or(here)
    }

    /// Writes a package without programs, in place of an earlier one. `tmp` is the test's `CARGO_TARGET_TMPDIR`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn new(tmp: &'static str, name: &str) -> io::Result<Self> {
        let package = Self { tmp, folder: Path::new(tmp).join(name) };
        match fs::remove_dir_all(&package.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let runtime = Self::root().join("runtime").display().to_string();
        package.write("Cargo.toml", &MANIFEST.replace("ONIONSKIN", &runtime))?;
        fs::copy(Self::root().join("Cargo.lock"), package.folder.join("Cargo.lock"))?;
        Ok(package)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.folder.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    }

    /// What rustc says of the programs. Cargo shows each text once, and the number of mistakes is left out.
    ///
    /// # Errors
    /// Returns an error if cargo does not run, or what it writes is no JSON.
    pub fn check(&self) -> io::Result<Vec<Said>> {
        let mut cargo = cargo(self.tmp, "check");
        cargo.args(["--bins", "--keep-going", "--message-format=json"]).current_dir(&self.folder);
        let output = cargo.output()?;
        let mut all: Vec<Said> = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line: Value = serde_json::from_str(line)?;
            let (message, Some(program)) = (&line["message"], line["target"]["name"].as_str()) else {
                continue;
            };
            let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
            let files: Vec<String> =
                spans.iter().filter_map(|span| Some(span["file_name"].as_str()?.to_owned())).collect();
            let said = Said {
                program: program.to_owned(),
                level: message["level"].as_str().unwrap_or_default().to_owned(),
                files,
                text: message["rendered"].as_str().unwrap_or_default().trim_end().to_owned(),
            };
            let is_known = all.iter().any(|known| known.program == said.program && known.text == said.text);
            if !said.text.is_empty() && !said.text.starts_with("error: aborting") && !is_known {
                all.push(said);
            }
        }
        if all.is_empty() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(all)
    }
}
