//! `import` writes cards from the agents of other programs.

mod draft;
mod fields;
mod find;
mod finish;
mod flow;
mod forbidden;
mod known;
mod models;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod tool_names;
mod tools;
mod types;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Args;
use onionskin_cards::{Card, find_cards, is_address, read_file};

use crate::failure::{FOUND, Failure};
use crate::loaded::{NO_ADDRESS, loader};
use crate::output;
use crate::program::Program;
use crate::text as words;
use crate::write::{Readers, write};
use draft::Draft;
use fields::Kind;
use finish::Link;
use known::Known;
use source::{AgentFile, Note, Refusal};

pub(crate) const ABOUT: &str = "\
Write cards from the agents of Claude Code (`.claude/agents`), of VS Code and GitHub Copilot (`.agent.md`, `.chatmode.md`), and of \
fast-agent (its cards).

Each part of a file that a card does not have, or has in another form, is said with its file and line. What is written passes `check`. A \
file that exists is never replaced without `--force`.

Exit code: 0 if all files are imported, 1 if some are not, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} import .claude/agents
  {program} import .github/agents/planner.agent.md --out agents
  {program} import --from fast-agent cards-of-others";

#[derive(Args)]
pub(crate) struct ImportArguments {
    /// A file of an agent, or a folder with such files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write the cards into this folder.
    #[arg(long, value_name = "DIR", default_value = "cards")]
    out: PathBuf,

    /// The program that the files belong to. Without it, their paths and fields say it.
    #[arg(long, value_name = "PROGRAM")]
    from: Option<Kind>,

    /// Replace cards that exist.
    #[arg(long)]
    force: bool,
}

/// A file, and what becomes of it.
struct Import {
    shown: String,
    /// The names by which other files call the agent.
    names: BTreeSet<String>,
    card: Result<Draft, Note>,
}

pub(crate) fn run(program: &Program, arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    if arguments.files.iter().any(|path| path.to_str().is_some_and(is_address)) {
        return Err(Failure::new(format!("`import` {NO_ADDRESS}")));
    }
    let found = find::find(&arguments.files, arguments.from, &arguments.out).map_err(Failure::new)?;
    let servers = Known::read(program)?;
    let (mut imports, mut others) = (Vec::new(), 0);
    for file in &found {
        match read(file, &servers) {
            Some(import) => imports.push(import),
            None => others += 1,
        }
    }
    if others > 0 {
        output::note(&format!("no agents in {} of the folders", words::counted(others, "file")));
    }
    refuse_names(&mut imports, arguments);
    let texts = complete(program, &mut imports)?;
    let written = write_cards(&imports, &texts, arguments)?;
    let mut refused = imports.len() - written;
    for import in &imports {
        show(import);
    }
    if imports.is_empty() {
        output::error("there are no agents in these files");
        refused = 1;
    }
    let not =
        if refused > 0 && !imports.is_empty() { format!(", {refused} not imported") } else { String::new() };
    output::aside(&format!(
        "{} written to `{}`{not}",
        words::counted(written as u64, "card"),
        words::path(&arguments.out)
    ));
    Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

/// Reads a file; `None` for one of a folder that is no agent.
fn read(found: &find::Candidate, servers: &Known) -> Option<Import> {
    if found.is_of_folder && find::is_page(&found.path) {
        return None;
    }
    let shown = words::path(&found.path);
    let stem = find::stem(&found.path);
    let source = match read_file(&found.path, &*shown) {
        Ok(source) => source,
        Err(error) => {
            let message =
                error.problems().first().map_or_else(String::new, |problem| problem.message.clone());
            return Some(Import { shown, names: BTreeSet::new(), card: Err(Note::new(1, message)) });
        }
    };
    let (kind, file) = match AgentFile::read(&found.path, source, found.kind) {
        Ok(read) => read,
        // A page beside agents.
        Err(Refusal::NoAgent(_)) if found.is_of_folder => return None,
        Err(refusal) => {
            return Some(Import { shown, names: BTreeSet::new(), card: Err(refusal.note()) });
        }
    };
    let written =
        file.fields.iter().find(|field| field.name == "name").and_then(|field| source::scalar(&field.value));
    let names = written.into_iter().chain([&*stem]).map(key).collect();
    Some(Import { shown, names, card: Draft::new(kind, &file, &stem, servers) })
}

/// A name as other files write it: fast-agent has `_` for a space.
fn key(name: &str) -> String {
    name.trim().replace(' ', "_").to_lowercase()
}

/// Refuses the agents whose names or files are there already.
fn refuse_names(imports: &mut [Import], arguments: &ImportArguments) {
    let mut names: HashMap<String, String> = HashMap::new();
    let mut stems: HashMap<String, String> = HashMap::new();
    let mut default: Option<String> = None;
    let writes: BTreeSet<PathBuf> = imports
        .iter()
        .filter_map(|import| Some(card_path(&arguments.out, &import.card.as_ref().ok()?.stem)))
        .collect();
    for file in find_cards(Path::new(""), std::slice::from_ref(&arguments.out)).files {
        if writes.contains(&file.path) {
            continue;
        }
        if let Ok(source) = read_file(&file.path, &*file.name)
            && let (Some(card), _) = Card::read_with_problems(&file.path, &source)
        {
            if card.is_default() {
                default.get_or_insert_with(|| file.name.clone());
            }
            names.insert(card.name.value, file.name.clone());
        }
    }
    for import in imports {
        let Ok(draft) = &mut import.card else { continue };
        let name = draft.card.name.value.clone();
        // Some systems have one file for names that differ in their case.
        let stem = draft.stem.to_lowercase();
        let other = names.get(&name).or_else(|| stems.get(&stem)).cloned();
        let path = card_path(&arguments.out, &draft.stem);
        let line = draft.name_line();
        if let Some(other) = other {
            let message = format!(
                "`{other}` has the agent `{name}` already: give this one another `name`, or import it into another folder with `--out`"
            );
            import.card = Err(Note::new(line, message));
        } else if let Ok(there) = path.symlink_metadata()
            && (!arguments.force || there.is_symlink())
        {
            let why = if there.is_symlink() {
                "is a link, and a card is not written through it: remove it, or import into another folder with `--out`"
            } else {
                "exists: `--force` replaces it"
            };
            import.card = Err(Note::new(line, format!("`{}` {why}", words::path(&path))));
        } else {
            match &default {
                Some(other) => draft.is_no_default(other),
                None if draft.card.is_default() => default = Some(import.shown.clone()),
                None => {}
            }
            names.insert(name, import.shown.clone());
            stems.insert(stem, import.shown.clone());
        }
    }
}

fn card_path(out: &Path, stem: &str) -> PathBuf {
    out.join(format!("{stem}.md"))
}

/// Connects the agents, and gives the text of each card. What `check` would refuse is refused here.
fn complete(program: &Program, imports: &mut [Import]) -> Result<HashMap<String, String>, Failure> {
    let notes: Vec<usize> =
        imports.iter().map(|import| import.card.as_ref().map_or(0, |draft| draft.notes.len())).collect();
    loop {
        let known: HashMap<String, String> = imports
            .iter()
            .filter_map(|import| {
                Some((import.names.clone(), import.card.as_ref().ok()?.card.name.value.clone()))
            })
            .flat_map(|(names, name)| names.into_iter().map(move |key| (key, name.clone())))
            .collect();
        let refused: BTreeSet<String> = imports
            .iter()
            .filter(|import| import.card.is_err())
            .flat_map(|import| import.names.clone())
            .collect();
        let circles = finish::circles(drafts(imports), |name| known.get(&key(name)).map(|name| &**name));
        let mut is_refused = false;
        for (import, notes) in imports.iter_mut().zip(&notes) {
            let Ok(draft) = &mut import.card else { continue };
            // An earlier round connected other agents.
            draft.notes.truncate(*notes);
            let parent = draft.card.name.value.clone();
            let link = |name: &str| match known.get(&key(name)) {
                Some(here) if circles.contains(&(parent.clone(), here.clone())) => Link::Circle,
                Some(here) => Link::Agent(here.clone()),
                None if refused.contains(&key(name)) => Link::Refused,
                None => Link::Missing,
            };
            if let Err(note) = draft.resolve(link) {
                import.card = Err(note);
                is_refused = true;
            }
        }
        if is_refused {
            continue;
        }
        let children: BTreeSet<String> = drafts(imports)
            .flat_map(|draft| draft.card.agents.iter().map(|child| child.value.clone()))
            .collect();
        let mut texts = HashMap::new();
        for import in &mut *imports {
            let Ok(draft) = &mut import.card else { continue };
            if children.contains(&draft.card.name.value) {
                draft.describe();
            }
            match draft.checked() {
                Ok(text) => _ = texts.insert(draft.stem.clone(), text),
                Err(note) => {
                    import.card = Err(note);
                    is_refused = true;
                }
            }
        }
        if !is_refused && !refuse_mistakes(program, imports, &texts)? {
            return Ok(texts);
        }
    }
}

fn drafts(imports: &[Import]) -> impl Iterator<Item = &Draft> {
    imports.iter().filter_map(|import| import.card.as_ref().ok())
}

/// Loads the cards, and refuses those with mistakes; false if there are none.
fn refuse_mistakes(
    program: &Program,
    imports: &mut [Import],
    texts: &HashMap<String, String>,
) -> Result<bool, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::new)?;
    for (stem, text) in texts {
        fs::write(card_path(folder.path(), stem), text).map_err(Failure::new)?;
    }
    if texts.is_empty() {
        return Ok(false);
    }
    let Err(error) = loader(program).load([folder.path()]) else { return Ok(false) };
    for mistake in error.mistakes() {
        let stem = Path::new(&mistake.file).file_stem().unwrap_or_default().to_string_lossy();
        let import =
            imports.iter_mut().find(|import| import.card.as_ref().is_ok_and(|draft| draft.stem == stem));
        match import {
            Some(import) => {
                let line = import.card.as_ref().map_or(1, Draft::name_line);
                import.card = Err(Note::new(line, mistake.message.clone()));
            }
            None => return Err(Failure::new(&error)),
        }
    }
    Ok(true)
}

/// Writes the cards, and gives their number.
fn write_cards(
    imports: &[Import],
    texts: &HashMap<String, String>,
    arguments: &ImportArguments,
) -> Result<usize, Failure> {
    let failed = |path: &Path, error: &io::Error| {
        Failure::new(format!("`{}` was not written: {error}", words::path(path)))
    };
    let mut written = 0;
    for import in imports {
        let Ok(draft) = &import.card else { continue };
        let Some(text) = texts.get(&draft.stem) else { continue };
        fs::create_dir_all(&arguments.out).map_err(|error| failed(&arguments.out, &error))?;
        let path = card_path(&arguments.out, &draft.stem);
        // Another program could have made the file meanwhile.
        write(&path, text.as_bytes(), arguments.force, Readers::Usual)
            .map_err(|error| failed(&path, &error))?;
        output::text(&format!("{} -> {}\n", import.shown, words::path(&path)))?;
        written += 1;
    }
    Ok(written)
}

/// Shows what was left out or changed, or why the file is not imported.
fn show(import: &Import) {
    let place = |note: &Note| format!("{}:{}: {}", import.shown, note.line, note.text);
    match &import.card {
        Ok(draft) => {
            let mut notes: Vec<&Note> = draft.notes.iter().collect();
            notes.sort_by_key(|note| note.line);
            for note in notes {
                if note.is_warning { output::warning(&place(note)) } else { output::note(&place(note)) }
            }
        }
        Err(note) => output::error(&place(note)),
    }
}
