//! The options of `#[tool(..)]`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, LitStr, Meta, Path, Token};

use super::life::{self, Life};
use crate::diag::Errors;
use crate::option::{
    Timeout, count, each_option, flag, meta_name, path, text, time, unquoted_texts, value, words,
};
use crate::suggest;
use crate::written::{OwnHook, entries};

/// The hints of `annotations(..)`, in the order of [`HINTS`].
pub(crate) type Hints = [Option<bool>; 4];

pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) instructions: Option<Expr>,
    pub(crate) meta: Option<Expr>,
    pub(crate) output_schema: Option<Expr>,
    pub(crate) on_error: Option<Path>,
    /// An expression of type `Duration`, `__rt` being the private module.
    pub(crate) timeout: Option<Timeout>,
    pub(crate) hooks: Vec<OwnHook>,
    pub(crate) life: Life,
    pub(crate) hints: Hints,
    /// The variant of `Effect`.
    pub(crate) effect: Option<Ident>,
    pub(crate) stop_after: bool,
    pub(crate) max_calls: Option<Expr>,
    pub(crate) blocking: Option<Span>,
    pub(crate) parse_docs: bool,
    pub(crate) crate_path: Option<Path>,
    pub(crate) type_name: Option<Ident>,
    /// The agent's state, for `#[bind(..)]`.
    pub(crate) state: Option<Path>,
    pub(crate) strict: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: None,
            title: None,
            description: None,
            instructions: None,
            meta: None,
            output_schema: None,
            on_error: None,
            timeout: None,
            hooks: Vec::new(),
            life: Life::default(),
            hints: [None; 4],
            effect: None,
            stop_after: false,
            max_calls: None,
            blocking: None,
            parse_docs: true,
            crate_path: None,
            type_name: None,
            state: None,
            strict: false,
        }
    }
}

const KEYS: &[&str] = &[
    "name",
    "title",
    "description",
    "instructions",
    "meta",
    "output_schema",
    "on_error",
    "timeout",
    "hooks",
    "input_guardrails",
    "output_guardrails",
    "approval",
    "cache",
    "examples",
    "annotations",
    "effect",
    "stop_after",
    "max_calls",
    "blocking",
    "parse_docs",
    "crate",
    "type_name",
    "state",
    "strict",
];

const HINTS: &[&str] = &["read_only", "destructive", "idempotent", "open_world"];

const EFFECTS: &[&str] = &["pure", "idempotent", "once"];

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        if let Some(TokenTree::Literal(literal)) = tokens.clone().into_iter().next() {
            errors.at(literal, "say which option this is: `name = \"..\"`, `description = \"..\"`");
            return options;
        }
        let tokens = unquoted_texts(tokens, &["name", "title", "description", "instructions"], errors);
        let parsed = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens);
        each_option(parsed, errors, |key, meta, errors| options.read(key, meta, errors));
        options.exclude(errors);
        options
    }

    fn read(&mut self, key: &str, meta: &Meta, errors: &mut Errors) {
        match key {
            "name" => self.name = text(meta, "name = \"add_one\"", errors),
            "title" => self.title = words(meta, "title = \"Add one\"", errors),
            "description" => self.description = words(meta, "description = \"Adds one.\"", errors),
            "instructions" => {
                self.instructions = words(meta, "instructions = \"Use it for sums.\"", errors);
            }
            "meta" => self.meta = value(meta, "meta = [(\"icon\", \"plus\")]", errors),
            "output_schema" => self.output_schema = schema(meta, errors),
            "on_error" => self.on_error = path(meta, "on_error = explain", errors),
            "timeout" => self.timeout = time(meta, "timeout = \"30s\"", errors),
            "hooks" => self.hooks = entries(meta, "hook", "hooks = [audit, retry(3)]", errors),
            _ if life::KEYS.contains(&key) => self.life.read(key, meta, errors),
            "annotations" => self.hints = hints(meta, errors),
            "effect" => self.effect = effect(meta, errors),
            "stop_after" => self.stop_after = flag(meta, errors),
            "max_calls" => self.max_calls = count(meta, "max_calls = 3", errors),
            "blocking" => self.blocking = flag(meta, errors).then(|| meta.span()),
            "parse_docs" => self.parse_docs = flag(meta, errors),
            "crate" => self.crate_path = path(meta, "crate = my_onionskin", errors),
            "type_name" => {
                let path = path(meta, "type_name = AddOne", errors);
                self.type_name = path.and_then(|path| path.get_ident().cloned());
            }
            "state" => self.state = path(meta, "state = Ledger", errors),
            "strict" => self.strict = flag(meta, errors),
            "input_schema" => errors.at(
                meta.path(),
                "the schema of the arguments comes from the parameters; describe them with doc comments and \
                 `#[arg(..)]`",
            ),
            _ => errors.at(meta.path(), suggest::unknown("option", key, KEYS)),
        }
    }

    /// Options that say opposite things.
    fn exclude(&self, errors: &mut Errors) {
        self.life.exclude(self, errors);
        let Some(effect) = &self.effect else { return };
        let [read_only, destructive, idempotent, _] = self.hints;
        if effect == "Pure" && destructive == Some(true) {
            errors.push(effect.span(), "a `pure` tool changes nothing, so it is not `destructive`; drop one");
        } else if effect == "Once" && read_only == Some(true) {
            errors.push(
                effect.span(),
                "a `read_only` tool can be repeated, so it is `pure`, not `once`; drop one",
            );
        } else if effect == "Once" && idempotent == Some(true) {
            errors.push(effect.span(), "an `idempotent` tool can be repeated, so it is not `once`; drop one");
        }
    }
}

fn schema(meta: &Meta, errors: &mut Errors) -> Option<Expr> {
    const EXAMPLE: &str = "output_schema = my_schema()";
    let value = value(meta, EXAMPLE, errors)?;
    if let Expr::Lit(literal) = &value {
        errors.at(literal, format_args!("what gives a `serde_json::Value` is wanted here: `{EXAMPLE}`"));
        return None;
    }
    Some(value)
}

fn hints(meta: &Meta, errors: &mut Errors) -> Hints {
    let mut hints = [None; 4];
    let Meta::List(list) = meta else {
        errors.at(meta, "write the hints in parentheses: `annotations(read_only, open_world = false)`");
        return hints;
    };
    let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    for meta in errors.take(parsed).into_iter().flatten() {
        let key = meta_name(&meta);
        let known = HINTS.iter().position(|hint| *hint == key.strip_suffix("_hint").unwrap_or(&key));
        match known {
            Some(place) if hints[place].is_some() => {
                errors.at(meta.path(), format_args!("`{key}` is given twice; keep one of them"));
            }
            Some(place) => hints[place] = Some(flag(&meta, errors)),
            None if key == "title" => errors.at(meta.path(), "write `title` as an option of its own"),
            None => errors.at(meta.path(), suggest::unknown("hint", &key, HINTS)),
        }
    }
    if hints[0] == Some(true) && hints[1] == Some(true) {
        errors.at(meta.path(), "a `read_only` tool changes nothing, so it is not `destructive`; drop one");
    }
    hints
}

fn effect(meta: &Meta, errors: &mut Errors) -> Option<Ident> {
    let path = path(meta, "effect = once", errors)?;
    let word = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    if path.get_ident().is_none() {
        let near = suggest::nearest(&word.to_lowercase(), EFFECTS).unwrap_or("once");
        errors.at(&path, format_args!("an effect is one word: `effect = {near}`"));
        return None;
    }
    let variant = match word.as_str() {
        "pure" => "Pure",
        "idempotent" => "Idempotent",
        "once" => "Once",
        _ => {
            errors.at(&path, suggest::unknown("effect", &word, EFFECTS));
            return None;
        }
    };
    Some(Ident::new(variant, path.span()))
}
