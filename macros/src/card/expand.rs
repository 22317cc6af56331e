//! From an invocation to its expansion, by the pipeline of a written `agent!`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use onionskin_cards::{Card, CardError, Deck, DeckError, Item, MOST_SHOWN, Need, Problem};
use onionskin_vocabulary::path_in_cards;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::LitStr;

use super::card_text::{CardText, Names, type_name};
use super::functions;
use super::invocation::Invocation;
use super::mistakes::mistakes;
use super::modules::Modules;
use super::rust_files::RustFiles;
use crate::agent;
use crate::warnings::warnings;

/// Expands an invocation whose paths begin at this folder.
pub(super) fn in_folder(base: &Path, invocation: &Invocation) -> TokenStream {
    if let Some(mistake) = &invocation.mistake {
        let (stand_ins, mistake) =
            (stand_ins(invocation, &names(base, invocation)), mistake.to_compile_error());
        return quote!(#stand_ins #mistake);
    }
    match Cards::read(base, invocation) {
        Ok(cards) => cards.declared(invocation),
        Err(error) => refused(&error, invocation),
    }
}

/// The names of the agents in the cards that can be read.
fn names(base: &Path, invocation: &Invocation) -> Vec<String> {
    let paths: Vec<String> = invocation.paths.iter().map(LitStr::value).collect();
    match Deck::read(base, &paths, &[]) {
        Ok(deck) => deck.names(),
        Err(error) => error.names().to_vec(),
    }
}

/// The errors, and types for the agents of the cards, so that the rest of the program finds them.
pub(crate) fn refused(error: &DeckError, invocation: &Invocation) -> TokenStream {
    let stand_ins = stand_ins(invocation, error.names());
    let errors = compile_errors(error.errors(), invocation);
    quote!(#stand_ins #errors)
}

/// The cards, and the modules of the files that they name.
pub(crate) struct Cards {
    deck: Deck,
    modules: RefCell<Modules>,
}

impl Cards {
    fn read(base: &Path, invocation: &Invocation) -> Result<Self, DeckError> {
        let paths: Vec<String> = invocation.paths.iter().map(LitStr::value).collect();
        let deck = Deck::read(base, &paths, &[])?;
        let mut files = RustFiles::default();
        let errors: Vec<CardError> = deck.cards.iter().filter_map(|card| missing(card, &mut files)).collect();
        if errors.is_empty() {
            return Ok(Self::new(deck));
        }
        Err(DeckError::new(errors, deck.names()))
    }

    /// The cards of a deck, without mistakes that files of Rust show.
    pub(crate) fn new(deck: Deck) -> Self {
        Self { deck, modules: RefCell::default() }
    }

    fn declared(&self, invocation: &Invocation) -> TokenStream {
        let span = located(&invocation.paths[0]);
        let agents = match self.expand(invocation, span) {
            Ok(agents) => agents,
            Err(problems) => {
                return refused(&DeckError::new(self.errors(problems), self.deck.names()), invocation);
            }
        };
        let files = looked_at(self.deck.cards.iter().map(|card| &*card.path), span);
        let skipped = warnings(self.deck.skipped.iter().cloned(), span);
        quote!(#agents #files #skipped)
    }

    /// The agents, with the modules of the files that they name.
    ///
    /// # Errors
    /// Returns the mistakes that the text of the agents shows, each with the index of its card.
    pub(crate) fn expand(
        &self,
        invocation: &Invocation,
        span: Span,
    ) -> Result<TokenStream, Vec<(usize, Problem)>> {
        let crate_path = invocation.crate_path.as_ref().map(|path| path.to_token_stream().to_string());
        let path = |card: &Card, item: &Item| match item {
            // The name that a card has for the runtime is the same in all programs.
            Item::Path(path) => match path.strip_prefix("::onionskin::") {
                Some(inside) => {
                    let root = crate_path.as_deref().unwrap_or("::onionskin");
                    format!("{root}::{}", raw(&path_in_cards(inside)))
                }
                None => raw(path),
            },
            Item::File { file, name } => {
                let module = self.modules.borrow_mut().name(&card.folder().join(file), &card.shown(file));
                format!("{module}::{}", raw(name))
            }
        };
        let names = Names {
            vis: invocation.vis.to_token_stream().to_string(),
            crate_path: crate_path.as_deref(),
            path: &path,
        };
        let (card_text, mut problems) = CardText::new(&self.deck, &names);
        let of_card = |line| {
            let (card, _) = card_text.place(line);
            located(path_of(&self.deck.cards[card].source.name, invocation))
        };
        let (agents, errors) = agent::declared(card_text.tokens(&of_card));
        problems.extend(mistakes(&card_text, errors, invocation));
        if !problems.is_empty() {
            return Err(problems);
        }
        let cards: Vec<String> = invocation.paths.iter().map(LitStr::value).collect();
        let agents = self.modules.borrow().around(agents, &cards, span);
        Ok(agents)
    }

    fn errors(&self, problems: Vec<(usize, Problem)>) -> Vec<CardError> {
        let mut of_cards: Vec<Vec<Problem>> = self.deck.cards.iter().map(|_| Vec::new()).collect();
        for (card, problem) in problems {
            of_cards[card].push(problem);
        }
        let cards = self.deck.cards.iter().zip(of_cards);
        let wrong = cards.filter(|(_, problems)| !problems.is_empty());
        wrong.map(|(card, problems)| CardError::new(card.source.clone(), problems)).collect()
    }
}

/// A path with the marks of raw names.
fn raw(path: &str) -> String {
    let is_word = |name: &str| matches!(name, "" | "crate" | "self" | "super" | "Self" | "_");
    let name = |name: &str| {
        let is_plain = is_word(name) || syn::parse_str::<syn::Ident>(name).is_ok();
        if is_plain { name.to_owned() } else { format!("r#{name}") }
    };
    path.split("::").map(name).collect::<Vec<_>>().join("::")
}

/// The items of a card that its files do not have, and those without a place.
pub(crate) fn missing(card: &Card, files: &mut RustFiles) -> Option<CardError> {
    let mut needs = card.needs();
    // The first mistakes are the ones that are shown.
    needs.sort_by_key(|need| need.item.span.start);
    let mut beside = None;
    let mut problems: Vec<Problem> = Vec::new();
    let mut of_files: Vec<(PathBuf, Vec<Need<'_>>)> = Vec::new();
    let mut by_path: HashMap<PathBuf, usize> = HashMap::new();
    for need in needs {
        let file = match &need.item.value {
            Item::File { file, .. } => file,
            Item::Path(name) => {
                let mut find = || beside.get_or_insert_with(|| items_beside(card, files)).get(name).cloned();
                problems.extend(need.without_place(&mut find));
                continue;
            }
        };
        let path = card.beside(file);
        let at = *by_path.entry(path).or_insert_with_key(|path| {
            of_files.push((path.clone(), Vec::new()));
            of_files.len() - 1
        });
        of_files[at].1.push(need);
    }
    for (path, needs) in of_files {
        if !path.is_file() {
            problems.extend(needs.iter().map(|need| need.missing_file(&shown_file(card, need))));
            continue;
        }
        let (scripts, needs): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|need| need.item.value.is_script());
        problems.extend(scripts.iter().map(Need::script));
        let Some(file) = files.get(&path).filter(|_| !needs.is_empty()) else { continue };
        let items = functions::Items::new(&file.items);
        let mut hints = MOST_SHOWN;
        for need in needs {
            let problem = items.mistake(&need, hints > 0);
            hints = hints.saturating_sub(usize::from(problem.is_some()));
            problems.extend(problem);
        }
    }
    (!problems.is_empty()).then(|| CardError::new(card.source.clone(), problems))
}

/// The path of the file of an item, as messages show it.
fn shown_file(card: &Card, need: &Need<'_>) -> String {
    match &need.item.value {
        Item::File { file, .. } => card.shown(file),
        Item::Path(name) => name.clone(),
    }
}

/// The names of the items in the files beside a card, and the first file that has each.
fn items_beside(card: &Card, files: &mut RustFiles) -> HashMap<String, String> {
    let beside = fs::read_dir(card.folder()).into_iter().flatten();
    let mut beside: Vec<_> = beside.filter_map(|file| file.ok()?.file_name().into_string().ok()).collect();
    beside.retain(|file| Path::new(file).extension().is_some_and(|ending| ending == "rs"));
    beside.sort();
    let mut found = HashMap::new();
    for file in beside {
        let Some(parsed) = files.get(&card.beside(&file)) else { continue };
        for name in functions::Items::new(&parsed.items).names() {
            found.entry(name.to_owned()).or_insert_with(|| file.clone());
        }
    }
    found
}

fn stand_ins(invocation: &Invocation, names: &[String]) -> TokenStream {
    let span = located(&invocation.paths[0]);
    let vis = &invocation.vis;
    let crate_path = invocation.crate_path.as_ref().map(|path| quote_spanned!(span=> crate: #path));
    let mut types: Vec<String> = names.iter().map(|name| type_name(name)).collect();
    types.sort();
    types.dedup();
    let types = types.iter().filter_map(|name| syn::parse_str::<syn::Ident>(name).ok());
    let agents = types.map(|ty| quote_spanned!(span=> #[doc = ""] #vis #ty { instruction: "", #crate_path }));
    let (agents, _) = agent::declared(quote_spanned!(span=> #(#agents)*));
    agents
}

fn compile_errors(errors: &[CardError], invocation: &Invocation) -> TokenStream {
    let errors = errors.iter().flat_map(|error| {
        // With the place as it is written, rustc does not add that the error is one of the macro.
        let span = path_of(&error.source_file().name, invocation).span();
        error.drawings().map(move |message| syn::Error::new(span, message).into_compile_error())
    });
    errors.collect()
}

/// The path in the invocation that names a card, or its folder.
fn path_of<'i>(card: &str, invocation: &'i Invocation) -> &'i LitStr {
    let names = |path: &&LitStr| Path::new(card).starts_with(path.value());
    invocation.paths.iter().find(names).unwrap_or(&invocation.paths[0])
}

/// Makes the compiler look at files again when they change.
pub(crate) fn looked_at<'f>(files: impl Iterator<Item = &'f Path>, span: Span) -> TokenStream {
    let files = files.map(Path::to_string_lossy);
    quote_spanned! {span=>
        const _: &[&[::core::primitive::u8]] = &[#(::core::include_bytes!(#files)),*];
    }
}

pub(crate) fn located(path: &LitStr) -> Span {
    Span::call_site().located_at(path.span())
}
