//! Looks for the items of cards in files of Rust, so that a missing one is reported at its place in the card.

use std::collections::HashMap;

use onionskin_cards::{Item, ItemFacts, Kind, Need, Problem, ValueKind};
use onionskin_vocabulary::Word;
use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, FnArg, ItemFn, Meta, Pat, Type, Visibility};

/// Attributes that make nothing of a function.
const PLAIN: [&str; 12] = [
    "allow",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "inline",
    "must_use",
    "track_caller",
    "warn",
];

/// What a file, or a module in it, has.
pub(super) struct Items<'f> {
    all: &'f [syn::Item],
    declared: Vec<Declared<'f>>,
    by_name: HashMap<String, usize>,
    is_exported: bool,
    /// The words that macros are given which are called there, by their letters; none if there is no such macro.
    words: Option<HashMap<Vec<char>, Vec<String>>>,
}

impl<'f> Items<'f> {
    pub(super) fn new(items: &'f [syn::Item]) -> Self {
        let declared: Vec<Declared<'_>> = items.iter().filter_map(Declared::new).collect();
        let mut by_name = HashMap::new();
        for (at, item) in declared.iter().enumerate() {
            by_name.entry(item.name.clone()).or_insert(at);
        }
        let words = items.iter().any(|item| called(item).is_some()).then(|| {
            let mut words = Vec::new();
            items.iter().filter_map(called).for_each(|tokens| idents(tokens, &mut words));
            words.extend(declared.iter().map(|item| item.name.clone()));
            words.dedup();
            let mut by_letters: HashMap<_, Vec<String>> = HashMap::new();
            for word in words {
                by_letters.entry(letters(&word)).or_default().push(word);
            }
            by_letters
        });
        Self { all: items, declared, by_name, is_exported: items.iter().any(is_exported), words }
    }

    /// The mistake in an item that a card names, if the file shows one. `has_hint`: whether it says which item could have been meant.
    pub(super) fn mistake(&self, need: &Need<'_>, has_hint: bool) -> Option<Problem> {
        let Item::File { name, .. } = &need.item.value else { return None };
        let Some((module, rest)) = name.split_once("::") else {
            return self.mistake_here(need, name.trim_start_matches("r#"), has_hint);
        };
        self.mistake_inside(need, module, rest, has_hint)
    }

    fn mistake_inside(&self, need: &Need<'_>, module: &str, rest: &str, has_hint: bool) -> Option<Problem> {
        let module = self.all.iter().find_map(|item| match item {
            syn::Item::Mod(item) if item.ident.to_string().trim_start_matches("r#") == module => Some(item),
            _ => None,
        })?;
        // A module in a file of its own is left to rustc.
        let inside = Items::new(&module.content.as_ref()?.1);
        match rest.split_once("::") {
            Some((module, rest)) => inside.mistake_inside(need, module, rest, has_hint),
            None => inside.mistake_here(need, rest.trim_start_matches("r#"), has_hint),
        }
    }

    fn mistake_here(&self, need: &Need<'_>, name: &str, has_hint: bool) -> Option<Problem> {
        match (self.by_name.get(name), &self.words) {
            (Some(found), _) => self.declared[*found].mistake(need),
            (None, _) if self.is_exported => None,
            // The items of a macro are not seen here, but a name with the same letters in another order is a slip.
            (None, Some(words)) => {
                let meant =
                    words.get(&letters(name)).filter(|words| words.iter().all(|word| word != name))?;
                Some(need.missing(meant.first().map(|word| &**word)))
            }
            (None, None) if has_hint => Some(missing(need, &self.declared)),
            (None, None) => Some(need.missing_too()),
        }
    }

    /// The names of the items.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.declared.iter().map(|item| &*item.name)
    }
}

/// Whether this is a `pub use`, which may declare more than is seen here.
fn is_exported(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Use(import) if !matches!(import.vis, Visibility::Inherited))
}

/// What a macro is given that is called at the place of an item. A `macro_rules!` declares no items itself.
fn called(item: &syn::Item) -> Option<&TokenStream> {
    match item {
        syn::Item::Macro(item) if item.ident.is_none() => Some(&item.mac.tokens),
        _ => None,
    }
}

fn idents(tokens: &TokenStream, words: &mut Vec<String>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(word) => words.push(word.to_string()),
            TokenTree::Group(group) => idents(&group.stream(), words),
            _ => {}
        }
    }
}

fn letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.sort_unstable();
    letters
}

/// What a file shows of a tool or a hook.
pub(crate) fn item_facts(name: &str, file: &syn::File) -> ItemFacts {
    let declared: Vec<Declared<'_>> = file.items.iter().filter_map(Declared::new).collect();
    let is_in_list = |item: &&Declared<'_>| item.kind().is_some_and(Kind::is_tool_or_hook);
    let others = declared.iter().filter(|item| item.name != name).filter(is_in_list);
    let others = others.map(|item| item.name.clone()).collect();
    let attrs = declared.iter().find(|item| item.name == name).map_or(&[][..], |item| item.attrs);
    let has_component = attrs.iter().any(|attr| is_called(attr, "ui_tool"));
    let hook = attrs.iter().find(|attr| is_called(attr, "message_hook"));
    let place = hook.and_then(|attr| word_of(&attr.meta));
    ItemFacts { others, has_component, place }
}

fn is_called(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == name)
}

/// Says which of the file's items could have been meant.
fn missing(need: &Need<'_>, declared: &[Declared<'_>]) -> Problem {
    let is_named_by = |item: &&Declared<'_>| {
        let is_type = matches!(need.kind, Kind::Type | Kind::Toolbox);
        item.function.is_some() != is_type && !item.is_private && item.is_of(need.kind)
    };
    need.missing(declared.iter().filter(is_named_by).map(|item| &*item.name))
}

/// An item of a file.
struct Declared<'f> {
    name: String,
    is_private: bool,
    function: Option<&'f ItemFn>,
    attrs: &'f [Attribute],
}

impl<'f> Declared<'f> {
    fn new(item: &'f syn::Item) -> Option<Self> {
        let (ident, vis, attrs, function) = match item {
            syn::Item::Fn(item) => (&item.sig.ident, &item.vis, &item.attrs, Some(item)),
            syn::Item::Struct(item) => (&item.ident, &item.vis, &item.attrs, None),
            syn::Item::Enum(item) => (&item.ident, &item.vis, &item.attrs, None),
            syn::Item::Type(item) => (&item.ident, &item.vis, &item.attrs, None),
            _ => return None,
        };
        let name = ident.to_string().trim_start_matches("r#").to_owned();
        Some(Self { name, is_private: matches!(vis, Visibility::Inherited), function, attrs })
    }

    fn mistake(&self, need: &Need<'_>) -> Option<Problem> {
        if !self.is_of(need.kind) {
            return Some(need.another_kind(self.kind()));
        }
        if self.is_private {
            return Some(need.private());
        }
        need.wrong_values(&takes(self.function?))
    }

    fn is_of(&self, wanted: Kind) -> bool {
        match self.kind() {
            Some(found) => wanted.accepts(found),
            None => self.function.is_none() || may_be(wanted, self.attrs),
        }
    }

    fn kind(&self) -> Option<Kind> {
        self.attrs.iter().find_map(kind)
    }
}

/// The values that a hook takes: each with its name, and with its kind if it is one of those that a card can be held to.
fn takes(function: &ItemFn) -> Vec<(String, Option<ValueKind>)> {
    let typed = function.sig.inputs.iter().filter_map(|param| match param {
        FnArg::Typed(param) if param.attrs.iter().any(|attr| attr.path().is_ident("config")) => Some(param),
        _ => None,
    });
    let taken = typed.map(|param| {
        let name = match &*param.pat {
            Pat::Ident(name) => name.ident.to_string(),
            _ => "..".to_owned(),
        };
        (name, value_kind(&param.ty))
    });
    taken.collect()
}

fn value_kind(ty: &Type) -> Option<ValueKind> {
    let Type::Path(path) = ty else {
        let Type::Reference(reference) = ty else { return None };
        return matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str"))
            .then_some(ValueKind::Text);
    };
    ValueKind::from_type(&path.path.get_ident()?.to_string())
}

/// Whether a function without one of our attributes may be of this kind.
fn may_be(kind: Kind, attrs: &[Attribute]) -> bool {
    match kind {
        Kind::Text | Kind::Strategy | Kind::ApprovalRule => true,
        Kind::Type | Kind::Toolbox => false,
        // An attribute under another name may be one of ours.
        Kind::Tool
        | Kind::ToolHook
        | Kind::InputGuardrail
        | Kind::OutputGuardrail
        | Kind::RunHook
        | Kind::TurnHook(_)
        | Kind::MessageHook
        | Kind::Agent => attrs.iter().any(|attr| !PLAIN.iter().any(|plain| attr.path().is_ident(plain))),
    }
}

/// What one of our attributes makes of a function.
fn kind(attr: &Attribute) -> Option<Kind> {
    match attr.path().segments.last()?.ident.to_string().as_str() {
        "tool" | "ui_tool" => Some(Kind::Tool),
        "tool_hook" => Some(Kind::ToolHook),
        "run_hook" => Some(Kind::RunHook),
        "message_hook" => Some(Kind::MessageHook),
        "turn_hook" => Some(Kind::TurnHook(word_of(&attr.meta))),
        "guardrail" if has_word(&attr.meta, "input") => Some(Kind::InputGuardrail),
        "guardrail" if has_word(&attr.meta, "output") => Some(Kind::OutputGuardrail),
        _ => None,
    }
}

/// The first of these words that an attribute has.
fn word_of<W: Word>(meta: &Meta) -> Option<W> {
    W::ALL.iter().copied().find(|word| has_word(meta, word.word()))
}

fn has_word(meta: &Meta, word: &str) -> bool {
    meta.require_list()
        .is_ok_and(|list| list.tokens.clone().into_iter().any(|token| token.to_string() == word))
}
