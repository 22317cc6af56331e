//! Cards that belong together: they name each other as children.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use onionskin_vocabulary::{FrontMatterMistake, front_matter};

use crate::card::Card;
use crate::deck_mistakes;
use crate::endings::is_markdown;
use crate::file::read_file;
use crate::find::{CardPaths, find_cards};
use crate::paths::default_name;
use crate::problem::{CardError, Problem};
use crate::skip::skip_reason;
use crate::source::Source;

/// Cards that belong together, without mistakes that they show among themselves.
#[derive(Debug, Clone, Default)]
pub struct Deck {
    /// The cards, in the order of the paths that were given and of the names in a folder.
    pub cards: Vec<Arc<Card>>,
    /// The files of folders that are no cards, each with the reason: `cards/fast-agent.yaml: ..`.
    pub skipped: Vec<String>,
    /// The first card of each name.
    by_name: HashMap<String, usize>,
}

/// A file that was read as a card.
#[derive(Debug, Clone)]
pub struct CardFile {
    /// The name of its agent, if it was read.
    name: Option<String>,
    card: Result<Arc<Card>, CardError>,
    /// Why it is no card, as a line.
    skipped: Option<String>,
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

impl CardFile {
    /// Reads the text of a file as a card. `is_of_folder` says that only its folder was named.
    pub fn parse(path: &Path, source: Result<Source, CardError>, is_of_folder: bool) -> Self {
        let source = match source {
            Ok(source) => source,
            Err(error) => return Self { name: None, card: Err(error), skipped: None },
        };
        if let Some(reason) = skip_reason(path, &source).filter(|_| is_of_folder) {
            let message = format!("this is no card: {reason}");
            let skipped = Some(format!("{}: {message}", source.name));
            let problem = Problem { message, span: 0..0 };
            return Self { name: None, card: Err(CardError::new(source, vec![problem])), skipped };
        }
        let (card, mut problems) = Card::read_with_problems(path, &source);
        // A file that was named itself is a card.
        if is_of_folder
            && is_markdown(path)
            && matches!(front_matter(&source.text), Err(FrontMatterMistake::Missing(_)))
        {
            for problem in &mut problems {
                problem
                    .message
                    .push_str("; if this file is not a card, name the cards of its folder one by one");
            }
        }
        let name = card.as_ref().map(|card| card.name.value.clone());
        let card = match card {
            Some(card) if problems.is_empty() => Ok(Arc::new(card)),
            _ => Err(CardError::new(source, problems)),
        };
        Self { name, card, skipped: None }
    }

    /// The name of its agent, if it was read.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The card, unless it has mistakes.
    pub fn card(&self) -> Option<&Arc<Card>> {
        self.card.as_ref().ok()
    }
}

impl Deck {
    /// Reads files, and all cards of folders. A card that is found twice is read once. Paths are relative to `base`, and messages show them
    /// as they are given. `program` are the names of the program's agents that cards may name as children.
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
        let CardPaths { files, errors } = find_cards(base, paths);
        let files = files.iter().map(|file| {
            let source = read_file(&file.path, &*file.name);
            CardFile::parse(&file.path, source, file.is_of_folder)
        });
        Self::from_files(files.collect(), errors, program)
    }

    /// Cards of files that were read before, and the mistakes: the `errors` of the files, and the mistakes that the cards show together. Files
    /// that are no cards are passed over, unless there are no others.
    pub fn from_files(
        files: Vec<CardFile>,
        mut errors: Vec<CardError>,
        program: &[&str],
    ) -> (Self, Option<DeckError>) {
        let (mut cards, mut names) = (Vec::new(), Vec::new());
        // A card whose name was not read is there all the same, and its file says which name it has by default.
        let named_by_file = |error: &CardError| default_name(Path::new(&*error.source_file().name));
        let mut unread: Vec<String> = errors.iter().filter_map(named_by_file).collect();
        let has_cards = files.iter().any(|file| file.skipped.is_none());
        let mut all_skipped = Vec::new();
        for file in files {
            if let Some(skipped) = file.skipped.filter(|_| has_cards) {
                all_skipped.push(skipped);
                continue;
            }
            match file.card {
                Ok(card) => cards.push(card),
                Err(error) => {
                    if file.name.is_none() {
                        unread.extend(named_by_file(&error));
                    }
                    errors.push(error);
                }
            }
            names.extend(file.name);
        }
        let deck = Self { skipped: all_skipped, ..Self::unchecked(cards) };
        let alone = errors.len();
        let known: Vec<String> = names.iter().cloned().chain(unread).collect();
        errors.extend(deck.mistakes(&known, program));
        let error = (!errors.is_empty()).then_some(DeckError { errors, names, alone });
        (deck, error)
    }

    /// Cards that were read elsewhere.
    ///
    /// # Errors
    /// Returns the mistakes that they show among themselves.
    pub(crate) fn new(cards: Vec<Card>, program: &[&str]) -> Result<Self, DeckError> {
        let deck = Self::unchecked(cards.into_iter().map(Arc::new).collect());
        let names = deck.names();
        let errors = deck.mistakes(&names, program);
        if errors.is_empty() { Ok(deck) } else { Err(DeckError { errors, names, alone: 0 }) }
    }

    fn unchecked(cards: Vec<Arc<Card>>) -> Self {
        let mut by_name = HashMap::new();
        for (index, card) in cards.iter().enumerate() {
            by_name.entry(card.name.value.clone()).or_insert(index);
        }
        Self { cards, by_name, ..Self::default() }
    }

    /// The names of the agents of all cards, in order.
    pub fn names(&self) -> Vec<String> {
        self.cards.iter().map(|card| card.name.value.clone()).collect()
    }

    /// The child of this name: a card, or else an agent of the program.
    pub fn child<'d>(&self, name: &'d str) -> Child<'d> {
        self.by_name.get(name).map_or(Child::Program(name), |index| Child::Card(*index))
    }

    /// The mistakes that cards show together. `names` are the names of all cards, including cards with mistakes of their own.
    fn mistakes(&self, names: &[String], program: &[&str]) -> Vec<CardError> {
        let names: HashSet<&str> = names.iter().map(String::as_str).chain(program.iter().copied()).collect();
        deck_mistakes::mistakes(&self.cards, &self.by_name, &names)
    }
}

impl DeckError {
    /// The mistakes of these files. `names` are the names of all cards.
    pub fn new(errors: Vec<CardError>, names: Vec<String>) -> Self {
        let alone = errors.len();
        Self { errors, names, alone }
    }

    /// The mistakes of each file.
    pub fn errors(&self) -> &[CardError] {
        &self.errors
    }

    /// The mistakes that files show by themselves.
    pub fn file_errors(&self) -> &[CardError] {
        &self.errors[..self.alone]
    }

    /// The mistakes that cards show among themselves.
    pub fn among_cards(&self) -> &[CardError] {
        &self.errors[self.alone..]
    }

    /// The names of the agents of all cards that were read, including cards with mistakes.
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
