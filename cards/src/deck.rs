//! Cards that belong together: they name each other as children.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::card::{Card, is_card};
use crate::file::read_file;
use crate::markdown::NO_FRONT;
use crate::problem::{CardError, Problem};
use crate::source::{Source, Spanned};
use crate::suggest::nearest;

/// Cards that belong together, without mistakes that they show among themselves.
#[derive(Debug, Clone, Default)]
pub struct Deck {
    /// The cards, in the order of the paths that were given and of the names in a folder.
    pub cards: Vec<Card>,
}

/// A child that a card names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child<'d> {
    /// A card of the deck, by its index.
    Card(usize),
    /// An agent of the program.
    Program(&'d str),
}

/// The mistakes of all files, each drawn as rustc draws errors.
#[derive(Debug, Clone)]
pub struct DeckError {
    errors: Vec<CardError>,
    names: Vec<String>,
    /// The number of errors of single files, which are the first ones.
    alone: usize,
}

impl Deck {
    /// Reads files, and all cards of folders. Paths are relative to `base`, and messages show them as they are given.
    /// `program` are the names of the program's agents that cards may name as children.
    ///
    /// # Errors
    /// Returns all mistakes of all cards.
    pub fn read<P: AsRef<Path>>(base: &Path, paths: &[P], program: &[&str]) -> Result<Self, DeckError> {
        match Self::read_with_mistakes(base, paths, program) {
            (deck, None) => Ok(deck),
            (_, Some(error)) => Err(error),
        }
    }

    /// As [`Self::read`], with the cards that have no mistakes of their own beside the mistakes.
    pub fn read_with_mistakes<P: AsRef<Path>>(
        base: &Path,
        paths: &[P],
        program: &[&str],
    ) -> (Self, Option<DeckError>) {
        let mut errors = Vec::new();
        let mut files: Vec<PathBuf> = Vec::new();
        for path in paths {
            match card_files(base, path.as_ref()) {
                Ok(found) => files.extend(found),
                Err(error) => errors.push(error),
            }
        }
        let mut deck = Self::default();
        let mut names = Vec::new();
        for file in files {
            let shown = shown(&file);
            let card = read_file(&base.join(&file), shown).and_then(|source| {
                let (card, mut problems) = Card::read_with_problems(&base.join(&file), &source);
                // A file that was named itself is a card.
                let is_of_folder = !paths.iter().any(|path| path.as_ref() == file);
                for problem in
                    problems.iter_mut().filter(|problem| is_of_folder && problem.message == NO_FRONT)
                {
                    problem
                        .message
                        .push_str("; if this file is no card, name the cards of its folder one by one");
                }
                names.extend(card.as_ref().map(|card| card.name.value.clone()));
                match card {
                    Some(card) if problems.is_empty() => Ok(card),
                    _ => Err(CardError::new(source, problems)),
                }
            });
            match card {
                Ok(card) => deck.cards.push(card),
                Err(error) => errors.push(error),
            }
        }
        let alone = errors.len();
        errors.extend(deck.mistakes(&names, program));
        let error = (!errors.is_empty()).then_some(DeckError { errors, names, alone });
        (deck, error)
    }

    /// Cards that were read elsewhere.
    ///
    /// # Errors
    /// Returns the mistakes that they show among themselves.
    pub(crate) fn of(cards: Vec<Card>, program: &[&str]) -> Result<Self, DeckError> {
        let names: Vec<String> = cards.iter().map(|card| card.name.value.clone()).collect();
        let deck = Self { cards };
        let errors = deck.mistakes(&names, program);
        if errors.is_empty() { Ok(deck) } else { Err(DeckError { errors, names, alone: 0 }) }
    }

    /// The child of this name: a card, or else an agent of the program.
    pub fn child<'d>(&self, name: &'d str) -> Child<'d> {
        self.cards.iter().position(|card| card.name.value == name).map_or(Child::Program(name), Child::Card)
    }

    /// The mistakes that cards show together. `names` are those of all cards, also of those with mistakes of their own.
    fn mistakes(&self, names: &[String], program: &[&str]) -> Vec<CardError> {
        let mut errors = Vec::new();
        for (index, card) in self.cards.iter().enumerate() {
            let mut problems = Vec::new();
            let mut note = |place: &Spanned<String>, message: String| {
                problems.push(Problem { message, span: place.span.clone() });
            };
            if let Some(first) = self.cards[..index].iter().find(|other| other.name.value == card.name.value)
            {
                let (name, file) = (&card.name.value, &first.source.name);
                note(
                    &card.name,
                    format!("`{file}` declares an agent `{name}` already; give this one another name"),
                );
                errors.push(CardError::new(card.source.clone(), problems));
                continue;
            }
            for child in &card.agents {
                if child.value.contains("::")
                    || program.contains(&&*child.value)
                    || names.contains(&child.value)
                {
                    continue;
                }
                let known = names.iter().map(String::as_str).chain(program.iter().copied());
                let hint = match nearest(&child.value, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "name a card that is read beside this one, or an agent of the program by its path, \
                             `crate::agents::Helper`"
                            .to_owned()
                    }
                };
                note(child, format!("there is no agent `{}`; {hint}", child.value));
            }
            problems.extend(self.cycle(index));
            problems.extend(self.second_default(index));
            if !problems.is_empty() {
                errors.push(CardError::new(card.source.clone(), problems));
            }
        }
        errors
    }

    /// The first child through which a card contains itself. Each cycle is reported once, at the first of its cards.
    fn cycle(&self, index: usize) -> Option<Problem> {
        self.cards[index].agents.iter().find_map(|child| {
            let mut path = vec![index];
            self.leads_back(&child.value, &mut path).then(|| {
                path.push(index);
                let names: Vec<_> = path.iter().map(|at| &*self.cards[*at].name.value).collect();
                let message = format!("an agent cannot contain itself: {}", names.join(" > "));
                Problem { message, span: child.span.clone() }
            })
        })
    }

    /// Whether a child leads to the first card of the path through later ones. Then `path` is the way.
    fn leads_back(&self, child: &str, path: &mut Vec<usize>) -> bool {
        // Each card is looked at once, or many cards that name each other would take for ever.
        fn search(deck: &Deck, child: &str, path: &mut Vec<usize>, seen: &mut Vec<usize>) -> bool {
            let Child::Card(at) = deck.child(child) else { return false };
            if at == path[0] {
                return true;
            }
            if at < path[0] || seen.contains(&at) {
                return false;
            }
            seen.push(at);
            path.push(at);
            if deck.cards[at].agents.iter().any(|child| search(deck, &child.value, path, seen)) {
                return true;
            }
            path.pop();
            false
        }
        search(self, child, path, &mut Vec::new())
    }

    fn second_default(&self, index: usize) -> Option<Problem> {
        let is_default = |card: &&Card| card.default.as_ref().is_some_and(|default| default.value);
        let default = self.cards[index].default.as_ref().filter(|default| default.value)?;
        let first = self.cards[..index].iter().find(is_default)?;
        let message = format!(
            "`{}` is the default agent already; an app has one entry, so take one of them off",
            first.name.value
        );
        Some(Problem { message, span: default.span.clone() })
    }
}

impl DeckError {
    /// The mistakes of these files. `names` are those of all cards.
    pub fn new(errors: Vec<CardError>, names: Vec<String>) -> Self {
        let alone = errors.len();
        Self { errors, names, alone }
    }

    /// The mistakes of each file.
    pub fn errors(&self) -> &[CardError] {
        &self.errors
    }

    /// The mistakes that files show by themselves.
    pub fn of_files(&self) -> &[CardError] {
        &self.errors[..self.alone]
    }

    /// The mistakes that cards show among themselves.
    pub fn among_cards(&self) -> &[CardError] {
        &self.errors[self.alone..]
    }

    /// The names of the agents of all cards, also of those with mistakes, as far as they were read.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl fmt::Display for DeckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for DeckError {}

impl From<CardError> for DeckError {
    fn from(error: CardError) -> Self {
        Self { errors: vec![error], names: Vec::new(), alone: 1 }
    }
}

/// A path as messages show it, with `/` on each system.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The file, or the cards of the folder in the order of their names. `path` begins at `base`, and so do the files.
///
/// # Errors
/// Returns an error if there is no such file, or if the folder has no cards.
pub fn card_files(base: &Path, path: &Path) -> Result<Vec<PathBuf>, CardError> {
    let whole =
        |message: String| CardError::new(Source::new(shown(path), ""), vec![Problem { message, span: 0..0 }]);
    let full = base.join(path);
    if !full.is_dir() {
        return if full.exists() { Ok(vec![path.to_owned()]) } else { Err(whole(missing(base, path))) };
    }
    let unread = |error: std::io::Error| whole(format!("the folder cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in fs::read_dir(&full).map_err(unread)? {
        let name = PathBuf::from(entry.map_err(unread)?.file_name());
        if is_card(&name) && !name.to_string_lossy().starts_with('.') {
            files.push(path.join(name));
        }
    }
    files.sort();
    if files.is_empty() {
        let message = "the folder has no cards: a card is a file with the ending `.md`, `.yaml` or `.yml`";
        return Err(whole(message.to_owned()));
    }
    Ok(files)
}

/// The error for a file that does not exist, with the name in its folder that is most like it.
fn missing(base: &Path, path: &Path) -> String {
    if let Some(folder) = folder_of_pattern(path) {
        return format!("a path is no pattern here: name the folder, `{folder}`, or each card in a list");
    }
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let near = fs::read_dir(base.join(folder)).ok().and_then(|entries| {
        let names: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        let wanted = path.file_name()?.to_string_lossy();
        nearest(&wanted, names.iter().map(String::as_str)).map(|near| shown(&folder.join(near)))
    });
    match near {
        Some(near) => format!("there is no file or folder `{}`; did you mean `{near}`?", shown(path)),
        None => format!("there is no file or folder `{}`", shown(path)),
    }
}

/// The folder whose files a pattern such as `cards/*.md` means.
fn folder_of_pattern(path: &Path) -> Option<String> {
    let shown = shown(path);
    let (before, _) = shown.split_once('*')?;
    Some(before.rsplit_once('/').map_or_else(|| ".".to_owned(), |(folder, _)| folder.to_owned()))
}
