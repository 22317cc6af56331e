//! The options of `#[tool(..)]`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprLit, Lit, LitBool, LitStr, Meta, Path, Token};

use super::life::{self, Life};
use crate::diag::Errors;
use crate::hook::written;
use crate::item::{each_option, meta_name, unquoted_texts};
use crate::number;
use crate::suggest;

/// One of a tool's own hooks or guardrails: `path` or `path(args)`.
pub(crate) struct OwnHook {
    pub(crate) path: Path,
    /// What it is configured with, as a tuple.
    pub(crate) with: TokenStream,
    /// How many values that is.
    pub(crate) values: usize,
}

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

/// How long something may take.
pub(crate) enum Timeout {
    Millis(u64),
    Duration(Box<Expr>),
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

/// The value of `key = value`.
pub(crate) fn value(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Expr> {
    match meta {
        Meta::NameValue(pair) => Some(pair.value.clone()),
        other => {
            errors.at(other, format_args!("a value is wanted here: `{example}`"));
            None
        }
    }
}

/// A value that may be text.
fn words(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Expr> {
    let value = value(meta, example, errors)?;
    if let Expr::Lit(ExprLit { lit, .. }) = &value
        && !matches!(lit, Lit::Str(_))
    {
        errors.at(lit, format_args!("text in quotes is wanted here: `{example}`"));
        return None;
    }
    Some(value)
}

/// A count such as `max_calls = 3`, or a constant.
pub(super) fn count(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Expr> {
    let value = value(meta, example, errors)?;
    if let Some(error) = number::digits(&value).and_then(number::with_unit) {
        errors.add(error);
        return None;
    }
    let counts = match &value {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse::<u32>().is_ok_and(|most| most > 0),
        Expr::Lit(_) | Expr::Unary(_) => false,
        _ => true,
    };
    if !counts {
        let most = match &value {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.base10_digits() != "0" => {
                format!(" to {}", u32::MAX)
            }
            _ => String::new(),
        };
        errors.at(&value, format_args!("a whole number from 1{most} is wanted here: `{example}`"));
        return None;
    }
    Some(value)
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

/// The text of `key = "text"`.
pub(crate) fn text(meta: &Meta, example: &str, errors: &mut Errors) -> Option<LitStr> {
    match value(meta, example, errors)? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        other => {
            errors.at(other, format_args!("text in quotes is wanted here: `{example}`"));
            None
        }
    }
}

/// Whether `key` or `key = true` is set.
pub(crate) fn flag(meta: &Meta, errors: &mut Errors) -> bool {
    match meta {
        Meta::Path(_) => return true,
        Meta::NameValue(pair) => {
            if let Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value, .. }), .. }) = &pair.value {
                return *value;
            }
            errors.at(&pair.value, "`true` or `false` is wanted here");
        }
        Meta::List(list) => {
            errors.at(list, format_args!("write `{0}` alone, or `{0} = false`", meta_name(meta)));
        }
    }
    false
}

pub(super) fn path(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Path> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Path(value) = &pair.value
    {
        return Some(value.path.clone());
    }
    let place = match meta {
        Meta::NameValue(pair) => pair.value.to_token_stream(),
        other => quote!(#other),
    };
    errors.at(place, format_args!("a path is wanted here: {}", suggest::unquoted(meta, example)));
    None
}

const TIME: &str = "a time is wanted here: seconds (`30`), text (`\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"`) or a constant \
                    `Duration`";

/// A time: `key = "30s"`.
pub(super) fn time(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Timeout> {
    let value = value(meta, example, errors)?;
    let Expr::Lit(ExprLit { lit, .. }) = &value else { return Some(Timeout::Duration(Box::new(value))) };
    if number::unit(lit).is_some() {
        let written = lit.to_token_stream();
        match millis(&written.to_string()) {
            Some(_) => errors.at(lit, format_args!("a time with a unit is text: write `\"{written}\"`")),
            None => errors.at(lit, TIME),
        }
        return None;
    }
    let millis = match lit {
        Lit::Int(seconds) => seconds.base10_parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1000)),
        Lit::Float(seconds) => seconds.base10_parse::<f64>().ok().and_then(whole_millis),
        Lit::Str(text) => millis(&text.value()),
        _ => None,
    };
    match millis {
        Some(millis) if millis > 0 => Some(Timeout::Millis(millis)),
        _ => {
            errors.at(lit, TIME);
            None
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn whole_millis(seconds: f64) -> Option<u64> {
    let millis = seconds * 1000.0;
    (1.0..1e15).contains(&millis).then_some(millis as u64)
}

fn millis(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    count.parse::<u64>().ok()?.checked_mul(unit)
}

/// The list of a tool's own hooks, or its guardrails: what stands in it, and what shows how.
pub(super) fn entries(meta: &Meta, what: &str, example: &str, errors: &mut Errors) -> Vec<OwnHook> {
    let Some(value) = value(meta, example, errors) else { return Vec::new() };
    let Expr::Array(list) = value else {
        errors.at(value, format_args!("a list in brackets is wanted here: `{example}`"));
        return Vec::new();
    };
    let mut entries = Vec::new();
    for entry in list.elems {
        let (path, args) = match entry {
            Expr::Path(path) => (path.path, Vec::new()),
            Expr::Call(ExprCall { func, args, .. }) if matches!(*func, Expr::Path(_)) => {
                let Expr::Path(path) = *func else { continue };
                (path.path, args.into_iter().collect())
            }
            other => {
                errors.at(other, format_args!("a {what} is wanted here, as in `{example}`"));
                continue;
            }
        };
        match written::wrong(what, &path, &args) {
            Some(error) => errors.add(error),
            None => entries.push(OwnHook { path, with: quote!((#(#args,)*)), values: args.len() }),
        }
    }
    entries
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
