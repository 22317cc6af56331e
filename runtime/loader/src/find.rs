//! Finds the items that a card names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onionskin_cards::{Card, Item, Kind, Need, Problem, Spanned};

use crate::entry::Entry;
use crate::error::MistakeKind;
use crate::registry::{Registry, normal};

/// The items of the program, by the full paths of their files.
pub(crate) struct Finder<'r> {
    registry: &'r Registry,
    files: BTreeMap<PathBuf, &'r BTreeMap<String, Entry>>,
}

impl<'r> Finder<'r> {
    /// `base` is the folder that the files of the registry begin at.
    pub(crate) fn new(registry: &'r Registry, base: &Path) -> Self {
        Self { registry, files: registry.by_files(base) }
    }

    /// The item that a card names, without mistakes.
    pub(crate) fn item(&self, card: &Card, item: &Item) -> Option<&'r Entry> {
        match item {
            Item::Path(path) => self.registry.by_path(path),
            Item::File { file, name } => self.files.get(&full(card, file))?.get(plain(name)),
        }
    }

    /// The mistake in an item that a card names.
    pub(crate) fn mistake(&self, card: &Card, need: &Need<'_>) -> Option<(MistakeKind, Problem)> {
        let Some(entry) = self.item(card, &need.item.value) else {
            return Some(self.missing(card, need));
        };
        if !entry.is_of(need.kind) {
            return Some((MistakeKind::WrongKind, need.another_kind(Some(entry.kind()))));
        }
        let Entry::Hook { hook, .. } = entry else { return None };
        if let Some(problem) = need.wrong_values(&hook.takes) {
            return Some((MistakeKind::WrongValue, problem));
        }
        let given = need.with.unwrap_or_default();
        let values: Vec<_> = given.iter().map(|value| value.value.clone()).collect();
        let (at, reason) = (hook.check)(&values).err()?;
        let name = hook.takes.get(at).map_or("", |(name, _)| name);
        let message = format!("`{name}` of `{}` does not fit: {reason}", need.item.value);
        let span = given.get(at).map_or_else(|| need.item.span.clone(), |value| value.span.clone());
        Some((MistakeKind::WrongValue, Problem { message, span }))
    }

    /// An agent of the program that a card names as a child.
    pub(crate) fn agent(&self, child: &Spanned<String>) -> Result<&'r Entry, (MistakeKind, Problem)> {
        let item = child.clone().map(Item::Path);
        let need = Need { item: &item, kind: Kind::Agent, with: None };
        match self.registry.by_path(&child.value) {
            Some(entry) if entry.is_of(Kind::Agent) => Ok(entry),
            Some(entry) => Err((MistakeKind::WrongKind, need.another_kind(Some(entry.kind())))),
            None => Err((MistakeKind::MissingItem, need.missing(self.paths(Kind::Agent)))),
        }
    }

    fn missing(&self, card: &Card, need: &Need<'_>) -> (MistakeKind, Problem) {
        let Item::File { file, .. } = &need.item.value else {
            return (MistakeKind::MissingItem, need.missing(self.paths(need.kind)));
        };
        let (path, shown) = (full(card, file), shown(card, file));
        match self.files.get(&path) {
            Some(items) => (MistakeKind::MissingItem, need.missing(of_kind(items, need.kind))),
            None if path.is_file() => (MistakeKind::MissingFile, need.unregistered_file(&shown)),
            None => (MistakeKind::MissingFile, need.missing_file(&shown)),
        }
    }

    fn paths(&self, kind: Kind) -> impl Iterator<Item = &'r str> {
        of_kind(&self.registry.paths, kind)
    }
}

fn of_kind(items: &BTreeMap<String, Entry>, kind: Kind) -> impl Iterator<Item = &str> {
    items.iter().filter(move |(_, entry)| entry.is_of(kind)).map(|(name, _)| &**name)
}

/// The full path of a file beside a card.
pub(crate) fn full(card: &Card, file: &str) -> PathBuf {
    normal(&card.folder().join(file))
}

/// The path of a file beside a card, as messages show it.
pub(crate) fn shown(card: &Card, file: &str) -> String {
    let folder = card.source.name.rsplit_once('/').map_or("", |(folder, _)| folder);
    normal(&Path::new(folder).join(file)).to_string_lossy().replace('\\', "/")
}

/// The name of a Rust item without the mark of a raw name.
fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}
