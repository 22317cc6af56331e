//! Finds the items that a card names.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use onionskin_cards::{Card, Item, Kind, Need, Problem, Spanned, normal};
use onionskin_core::declaration::DynAgent;
use onionskin_vocabulary::READY_HOOKS;

use crate::error::MistakeKind;
use crate::registered_item::{RegisteredHook, RegisteredItem};
use crate::registry::{Registry, plain};
use crate::script::{self, Fault, Role};

/// Functions of scripts that were read: by file, name and role.
type Scripts = HashMap<(PathBuf, String, Role), Result<RegisteredItem, Fault>>;

/// For how many items that are not found it is looked what is most like them, which takes time for each item of the program.
const MOST_HINTS: usize = 200;

/// The items of the program, by the full paths of their files.
pub(crate) struct Finder<'r> {
    registry: &'r Registry,
    pub(crate) asks_before_changes: bool,
    files: BTreeMap<PathBuf, &'r BTreeMap<String, RegisteredItem>>,
    scripts: RefCell<Scripts>,
    /// How many hints may be looked for still.
    hints: Cell<usize>,
}

impl<'r> Finder<'r> {
    /// `base` is the folder that the files of the registry begin at.
    pub(crate) fn new(registry: &'r Registry, base: &Path, asks_before_changes: bool) -> Self {
        Self {
            registry,
            asks_before_changes,
            files: registry.by_files(base),
            scripts: RefCell::default(),
            hints: Cell::new(MOST_HINTS),
        }
    }

    /// The item that a card names, without mistakes.
    pub(crate) fn item(&self, card: &Card, item: &Item, kind: Kind) -> Option<RegisteredItem> {
        match item {
            Item::Path(path) => self.registry.by_path(path).cloned(),
            Item::File { file, name } if item.is_script() => {
                self.script(card.beside(file), name, Role::new(card, item, kind)).ok()
            }
            Item::File { file, name } => self.files.get(&card.beside(file))?.get(&*plain(name)).cloned(),
        }
    }

    /// The items of a file, by its full path.
    pub(crate) fn items_of(&self, file: &Path) -> Option<&'r BTreeMap<String, RegisteredItem>> {
        self.files.get(file).copied()
    }

    /// A function of a script. What no script can be is not read.
    fn script(&self, path: PathBuf, name: &str, role: Option<Role>) -> Result<RegisteredItem, Fault> {
        let key = (path, name.to_owned(), role.ok_or(Fault::WrongKind)?);
        if let Some(known) = self.scripts.borrow().get(&key) {
            return known.clone();
        }
        let read = script::entry(&key.0, name, &key.2);
        self.scripts.borrow_mut().insert(key, read.clone());
        read
    }

    /// Whether the program has no items in Rust.
    pub(crate) fn is_without_rust(&self) -> bool {
        self.registry.without_rust.is_some()
    }

    /// The item that a card needs.
    ///
    /// # Errors
    /// Returns the mistake in what the card says of it.
    pub(crate) fn find(
        &self,
        card: &Card,
        need: &Need<'_>,
    ) -> Result<RegisteredItem, (MistakeKind, Problem)> {
        if let Item::File { file, name } = &need.item.value
            && need.item.value.is_script()
            && let Err(fault) =
                self.script(card.beside(file), name, Role::new(card, &need.item.value, need.kind))
        {
            return Err(fault.mistake(need, &card.shown(file)));
        }
        let entry = self.item(card, &need.item.value, need.kind).ok_or_else(|| self.missing(card, need))?;
        if !entry.is_of(need.kind) {
            return Err((MistakeKind::WrongKind, need.another_kind(Some(entry.kind()))));
        }
        match entry.hook(need.kind).and_then(|hook| wrong_value(hook, need)) {
            Some(problem) => Err((MistakeKind::WrongValue, problem)),
            None => Ok(entry),
        }
    }

    /// An agent of the program that a card names as a child.
    pub(crate) fn agent(&self, child: &Spanned<String>) -> Result<&'r DynAgent, (MistakeKind, Problem)> {
        let item = child.clone().map(Item::Path);
        let need = Need { item: &item, kind: Kind::Agent, with: None };
        match self.registry.by_path(&child.value) {
            Some(RegisteredItem::Agent(agent)) => Ok(agent),
            Some(entry) => Err((MistakeKind::WrongKind, need.another_kind(Some(entry.kind())))),
            None => Err((
                MistakeKind::MissingItem,
                self.missing_item(&need, self.paths(&need.item.value, Kind::Agent)),
            )),
        }
    }

    fn missing(&self, card: &Card, need: &Need<'_>) -> (MistakeKind, Problem) {
        if let Some(advice) = &self.registry.without_rust
            && (is_of_author(&need.item.value)
                || need.kind == Kind::Type && need.without_place(|| None).is_some())
        {
            if let Item::File { file, .. } = &need.item.value
                && !card.beside(file).is_file()
            {
                return (MistakeKind::WithoutRust, need.missing_file(&card.shown(file)));
            }
            let message = format!("`{}` is Rust: {advice}", need.item.value);
            return (MistakeKind::WithoutRust, Problem { message, span: need.item.span.clone() });
        }
        let Item::File { file, .. } = &need.item.value else {
            let Some(problem) = need.without_place(|| self.file_of(card, need)) else {
                return (
                    MistakeKind::MissingItem,
                    self.missing_item(need, self.paths(&need.item.value, need.kind)),
                );
            };
            return (MistakeKind::Format, problem);
        };
        let (path, shown) = (card.beside(file), card.shown(file));
        match self.files.get(&path) {
            Some(items) => {
                (MistakeKind::MissingItem, self.missing_item(need, names_of_kind(items, need.kind)))
            }
            None if path.is_file() => (MistakeKind::MissingFile, need.unregistered_file(&shown)),
            None if let Some(file) = self.registry.file_named(&path) => {
                let message = format!(
                    "the program registers nothing of `{shown}`; it registers `{file}`: paths of the registry begin at the base folder of the \
                     loader, and those of a card at its own folder"
                );
                (MistakeKind::MissingFile, Problem { message, span: need.item.span.clone() })
            }
            None => (MistakeKind::MissingFile, need.missing_file(&shown)),
        }
    }

    /// The mistake, with what could have been meant. Of very many, the first ones have it.
    fn missing_item<'n>(&self, need: &Need<'_>, names: impl Iterator<Item = &'n str>) -> Problem {
        let left = self.hints.get();
        self.hints.set(left.saturating_sub(1));
        if left > 0 {
            return need.missing(names);
        }
        Problem { message: format!("there is no `{}`", need.item.value), span: need.item.span.clone() }
    }

    /// The registered file in the folder of the card that has the item, if it is named without one.
    fn file_of(&self, card: &Card, need: &Need<'_>) -> Option<String> {
        let folder = normal(card.folder());
        let in_folder = self.files.iter().filter(|(path, _)| path.parent() == Some(&*folder));
        let mut with_item = in_folder.filter(|(_, items)| {
            items.get(need.item.value.last_name()).is_some_and(|entry| entry.is_of(need.kind))
        });
        let (path, _) = with_item.next()?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    }

    /// The paths that could be meant. An item of the program is no ready hook.
    fn paths(&self, item: &Item, kind: Kind) -> impl Iterator<Item = &'r str> {
        let is_own = matches!(item, Item::Path(path) if path.starts_with("crate::"));
        let is_ready = |path: &str| READY_HOOKS.iter().any(|ready| ready.strip_prefix("::") == Some(path));
        names_of_kind(&self.registry.paths, kind).filter(move |path| !is_own || !is_ready(path))
    }
}

/// The mistake in the values that a card gives a hook or a guardrail.
fn wrong_value(hook: &RegisteredHook, need: &Need<'_>) -> Option<Problem> {
    if let Some(problem) = need.wrong_values(&hook.takes) {
        return Some(problem);
    }
    let with = need.with.unwrap_or_default();
    let values: Vec<_> = with.iter().map(|value| value.value.clone()).collect();
    let (at, message) = match (hook.check)(&values) {
        Err((at, reason)) => {
            let name = hook.takes.get(at).map_or("", |(name, _)| name);
            (at, format!("`{name}` of `{}` does not fit: {reason}", need.item.value))
        }
        Ok(()) => (hook.check_use)(&values).err()?,
    };
    let span = with.get(at).map_or(&need.item.span, |value| &value.span).clone();
    Some(Problem { message, span })
}

fn names_of_kind(items: &BTreeMap<String, RegisteredItem>, kind: Kind) -> impl Iterator<Item = &str> {
    items.iter().filter(move |(_, entry)| entry.is_of(kind)).map(|(name, _)| &**name)
}

/// Whether an item that is not a script belongs to the card's author, and not to onionskin.
fn is_of_author(item: &Item) -> bool {
    match item {
        Item::File { .. } => true,
        Item::Path(path) => path.contains("::") && !path.trim_start_matches("::").starts_with("onionskin::"),
    }
}

/// The scripts that a card names, each once.
pub(crate) fn scripts_of(card: &Card) -> Vec<PathBuf> {
    let mut scripts: Vec<PathBuf> = Vec::new();
    for need in card.needs() {
        let Item::File { file, .. } = &need.item.value else { continue };
        let path = card.beside(file);
        if need.item.value.is_script() && !scripts.contains(&path) {
            scripts.push(path);
        }
    }
    scripts
}
