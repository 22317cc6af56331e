//! `migrate` writes the YAML of workflow folders as JSON.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use onionskin_cards::{Migration, migrate};

use crate::failure::{FOUND, Failure};
use crate::loaded::{NO_ADDRESS, is_address};
use crate::output;
use crate::text;

pub(crate) const ABOUT: &str = "\
Write the files of workflow folders that are YAML as JSON, beside them.

The keys keep their order. Comments are lost, and it says where. A file that exists is never replaced, and nothing is written if a file of \
any folder cannot be read. `--remove-yaml` also removes YAML whose JSON is there already and says the same; if it says something else, \
that is an error.

Exit code: 0 if all is JSON, 1 with `--check` if something is not, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} migrate workflows/Generator
  {program} migrate --check workflows/*
  {program} migrate --remove-yaml workflows/Generator   remove each YAML file whose JSON is written";

#[derive(Args)]
pub(crate) struct MigrateArguments {
    /// A workflow folder.
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,

    /// Write nothing, and fail if there is something to write.
    #[arg(long)]
    check: bool,

    /// Remove the YAML files whose JSON is written, now or before.
    #[arg(long, conflicts_with = "check")]
    remove_yaml: bool,
}

pub(crate) fn run(arguments: &MigrateArguments) -> Result<ExitCode, Failure> {
    let (mut migrations, mut errors) = (Vec::new(), Vec::new());
    let mut visited = HashSet::new();
    for folder in &arguments.folders {
        if is_address(folder) {
            return Err(Failure::new(format!("`migrate` {NO_ADDRESS}")));
        }
        // One that is named twice is written once.
        if folder.canonicalize().is_ok_and(|real| !visited.insert(real)) {
            continue;
        }
        match migrate(Path::new(""), folder) {
            Ok(migration) => migrations.push(migration),
            Err(error) => errors.push(error.to_string()),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::new(errors.join("\n\n")));
    }
    if arguments.remove_yaml {
        let different = migrations.iter().flat_map(|migration| &migration.different);
        let different: Vec<_> = different
            .map(|(yaml, json)| {
                format!(
                    "`{yaml}` and `{json}` beside it differ, and the JSON counts: remove one of them yourself"
                )
            })
            .collect();
        if !different.is_empty() {
            return Err(Failure::new(different.join("\n")));
        }
    }
    let (mut files, mut removed) = (0, 0);
    for migration in &migrations {
        files += migration.files.len();
        if !arguments.check {
            migration.write().map_err(Failure::new)?;
        }
        show(migration)?;
        if arguments.remove_yaml {
            migration.remove_yaml().map_err(Failure::new)?;
            removed += migration.files.len() + migration.written.len();
        } else {
            for file in &migration.written {
                let (yaml, json) = (&file.name, &file.json_name);
                output::note(&format!("{yaml}: `{json}` says the same; `--remove-yaml` removes the YAML"));
            }
        }
    }
    let is_found = arguments.check && files > 0;
    let what = if arguments.check { "to write" } else { "written" };
    let removed = if arguments.remove_yaml { format!(", {removed} removed") } else { String::new() };
    output::aside(&format!("{} {what}{removed}", text::counted(files as u64, "file")));
    Ok(if is_found { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

fn show(migration: &Migration) -> Result<(), Failure> {
    for file in &migration.files {
        output::text(&format!("{} -> {}\n", file.name, file.json_name))?;
        if file.comments > 0 {
            let lines = text::counted(file.comments as u64, "line");
            output::note(&format!("{}: {lines} with comments, which JSON cannot hold", file.name));
        }
    }
    for (file, why) in &migration.left {
        output::note(&format!("{file}: {why}"));
    }
    Ok(())
}
