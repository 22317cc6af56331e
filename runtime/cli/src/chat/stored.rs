//! What chats at a terminal leave for later ones: their inputs and their conversations.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use onionskin_core::Session;
use onionskin_core::run::SavedSession;

use super::files;
use crate::program::Program;
use crate::states;
use crate::text;
use crate::write::{Readers, write};

/// The inputs that later chats have.
pub(super) const MOST_INPUTS: usize = 1000;

/// The bytes of the file of inputs. The older half of a longer one is removed.
const MOST_BYTES: u64 = 1 << 20;

/// The bytes of an input that is kept.
const LONGEST_INPUT: usize = 8 << 10;

/// The conversations that are kept.
const MOST_CONVERSATIONS: usize = 100;

/// The ends of the names of variables that have secrets.
const SECRETS: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];

/// A shorter value could be any word.
const SHORTEST_SECRET: usize = 8;

/// The files of a program in the folder where the system keeps states. Others cannot read them.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    folder: PathBuf,
    /// How the names of conversations begin that are of the same agent, user and working directory.
    key: String,
    user: Option<String>,
}

/// The file of a conversation, as this chat read or wrote it; none before the first run of a new one.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredFile(Option<(PathBuf, Facts)>);

/// The time of the last change of a file, and its length; none if there is no such file.
type Facts = Option<(SystemTime, u64)>;

impl Stored {
    /// The files for an agent of a program in the working directory, and for a user; none if the system has no such folder.
    pub(super) fn new(program: &Program, agent: &str, user: Option<&str>) -> Option<Self> {
        let whose = user.map_or_else(|| agent.to_owned(), |user| format!("{agent}\0{user}"));
        let (folder, key) = (states::folder(program)?, states::key(&whose)?);
        Some(Self { folder, key, user: user.map(str::to_owned) })
    }

    fn conversations(&self) -> PathBuf {
        self.folder.join("conversations")
    }

    /// The last conversation. The error says why there is none.
    pub(super) fn conversation(&self) -> Result<(SavedSession, StoredFile), String> {
        let is_mine = |file: &PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&self.key))
        };
        let file = by_time(&self.conversations()).into_iter().rev().find(is_mine).ok_or_else(|| {
            let whose =
                self.user.as_deref().map(|user| format!("for the user `{}` ", text::first_line(user)));
            format!(
                "there is no conversation {}with this agent in this folder: leave `--continue` out",
                whose.unwrap_or_default()
            )
        })?;
        let kept = StoredFile(Some((file.clone(), facts(&file))));
        Ok((files::load(&file)?, kept))
    }

    /// Keeps the conversation for `--continue`, and removes the file of an empty one. If another chat has changed the file, it stays, and
    /// the conversation has another one from then on: the result is true.
    pub(super) fn keep_conversation(&self, session: &Session, kept: &mut StoredFile) -> Result<bool, String> {
        let before = kept.0.take();
        let is_changed = before.as_ref().is_some_and(|(file, before)| {
            let now = facts(file);
            now.is_some() && now != *before
        });
        let before = before.map(|(file, _)| file).filter(|_| !is_changed);
        if session.history().is_empty() {
            return match before.map(|file| (fs::remove_file(&file), file)) {
                Some((Err(error), file)) if error.kind() != io::ErrorKind::NotFound => {
                    Err(format!("`{}` was not removed: {error}", file.display()))
                }
                _ => Ok(false),
            };
        }
        let folder = self.conversations();
        states::make(&folder).map_err(|error| format!("`{}` was not made: {error}", folder.display()))?;
        if let Ok(saved) = serde_json::to_string(&session.save())
            && let Some(variable) = secret_in(&saved)
        {
            return Err(format!(
                "the conversation is not kept, because it has the value of the variable `{variable}`"
            ));
        }
        let file = before.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            folder.join(format!("{}-{:x}.json", self.key, now.as_nanos()))
        });
        files::save(session, &file, true)?;
        kept.0 = Some((file.clone(), facts(&file)));
        for oldest in by_time(&folder).iter().rev().skip(MOST_CONVERSATIONS) {
            // It is tried again after the next run.
            let _ = fs::remove_file(oldest);
        }
        Ok(is_changed)
    }

    fn inputs_file(&self) -> PathBuf {
        self.folder.join("inputs")
    }

    /// The inputs of earlier chats, the oldest first. What cannot be read is left out.
    pub(super) fn inputs(&self) -> Vec<String> {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.inputs_file())?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(MOST_BYTES)))?;
            let mut bytes = Vec::new();
            file.take(MOST_BYTES).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let inputs: Vec<String> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        inputs[inputs.len().saturating_sub(MOST_INPUTS)..].to_vec()
    }

    /// Keeps an input for later chats, unless it begins with a space, is long, or has a secret of the environment.
    pub(super) fn keep_input(&self, input: &str) -> io::Result<()> {
        if input.starts_with(' ') || input.len() > LONGEST_INPUT || secret_in(input).is_some() {
            return Ok(());
        }
        states::make(&self.folder)?;
        let file = self.inputs_file();
        if file.metadata().is_ok_and(|facts| facts.len() > MOST_BYTES) {
            let inputs = self.inputs();
            let lines: Vec<_> = inputs[inputs.len() / 2..].iter().map(|input| json_line(input)).collect();
            write(&file, lines.concat().as_bytes(), true, Readers::User)?;
        }
        private(OpenOptions::new().create(true).append(true))
            .open(file)?
            .write_all(json_line(input).as_bytes())
    }
}

fn json_line(input: &str) -> String {
    format!("{}\n", serde_json::Value::from(input))
}

/// The variable of the environment whose secret value is in a text.
fn secret_in(text: &str) -> Option<String> {
    std::env::vars_os().find_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value.to_str()?);
        let is_secret =
            value.len() >= SHORTEST_SECRET && SECRETS.iter().any(|end| name.to_uppercase().ends_with(end));
        (is_secret && text.contains(value)).then(|| name.to_owned())
    })
}

/// The files of a folder, the one that was changed last at the end.
fn by_time(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|file| {
            let file = file.ok()?.path();
            Some((facts(&file)?, file))
        })
        .collect();
    files.sort();
    files.into_iter().map(|(_, file)| file).collect()
}

fn facts(file: &Path) -> Facts {
    let facts = file.metadata().ok()?;
    Some((facts.modified().ok()?, facts.len()))
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
