//! `Options` holds the options of `#[tool(..)]`.

use darling::FromMeta;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::Effect;
use onionskin_vocabulary::options as keys;
use proc_macro2::{Ident, Span, TokenStream};
use syn::{Expr, LitStr, Meta, Path, Type};

use super::approval_cache::{self, Approval, Cache};
use super::example::{self, Example};
use crate::choice;
use crate::diag::Errors;
use crate::keys::options;
use crate::option::read::{self, Timeout};
use crate::option::{Table, error_at};
use crate::policy_entry::{self, PolicyEntry};
use crate::suggest;

options! {
    /// The options of `#[tool(..)]`.
    #[derive(Default, FromMeta)]
    pub(crate) struct Options {
        name: Option<LitStr> = read::text,
        title: Option<Expr> = read::words,
        description: Option<Expr> = read::words,
        instructions: Option<Expr> = read::words,
        meta: Option<Expr> = self::meta,
        output_schema: Option<Expr> = self::schema,
        on_error: Option<Path> = read::path,
        timeout: Option<Timeout> = read::time,
        hooks: Vec<PolicyEntry> = policy_entry::hooks,
        input_guardrails: Vec<PolicyEntry> = policy_entry::guardrails,
        output_guardrails: Vec<PolicyEntry> = policy_entry::guardrails,
        approval: Option<Approval> = approval_cache::approval,
        asks: Option<Span> = read::place,
        external: Option<Span> = read::place,
        cache: Option<Cache> = approval_cache::cache,
        examples: Vec<Example> = example::list,
        hints as "annotations": Hints = self::hints,
        effect: Option<Ident> = self::effect,
        stop_after: bool = read::flag,
        max_calls: Option<Expr> = read::count,
        blocking: Option<Span> = read::place,
        parse_docs: Option<bool> = read::flag,
        crate_path as "crate": Option<Path> = read::path,
        type_name: Option<Ident> = read::name,
        state: Option<Type> = read::ty,
        strict: bool = read::flag,
    }
}

const APPROVAL: &str = "a tool whose calls a person approves has the option `approval`";

const RETRIES: &str = "a hook repeats calls: write `hooks = [hooks::retry(3)]`";

/// The options of a tool.
pub(super) const TABLE: Table<'_> = Table {
    literal: Some("name the option: `name = \"..\"`, `description = \"..\"`"),
    elsewhere: &[
        (
            "input_schema",
            "the schema of the arguments comes from the parameters; describe them with doc comments and `#[arg(..)]`",
        ),
        ("component", "a tool that shows a component is a UI tool: write `#[ui_tool(component = \"..\")]`"),
        (
            "html",
            "a page belongs to a UI tool: write `#[ui_tool(component = \"..\", html = include_str!(\"page.html\"))]`",
        ),
        ("mode", "a mode belongs to a UI tool: write `#[ui_tool(component = \"..\", mode = inline)]`"),
        ("destructive", "this is a hint for clients: write `annotations(destructive)`"),
        (
            "read_only",
            "this is a hint for clients: write `annotations(read_only)`; `effect = pure` is for the runtime",
        ),
        ("open_world", "this is a hint for clients: write `annotations(open_world)`"),
        (
            "idempotent",
            "a call that may be repeated is `effect = idempotent`; the hint for clients is `annotations(idempotent)`",
        ),
        ("requires_approval", APPROVAL),
        ("require_approval", APPROVAL),
        ("needs_approval", APPROVAL),
        ("confirm", APPROVAL),
        ("retry", RETRIES),
        ("retries", RETRIES),
        (
            "guardrails",
            "guardrails are in two lists: `input_guardrails` on the arguments, `output_guardrails` on the result",
        ),
    ],
    ..Table::new("option", keys::tool())
};

options! {
    /// The hints of `annotations(..)`.
    #[derive(Default, FromMeta)]
    pub(crate) struct Hints {
        read_only: Option<bool> = read::flag,
        destructive: Option<bool> = read::flag,
        idempotent: Option<bool> = read::flag,
        open_world: Option<bool> = read::flag,
    }
}

const HINTS: Table<'_> = Table {
    ending: "_hint",
    elsewhere: &[("title", "write `title` as an option of its own")],
    ..Table::new("hint", keys::annotations())
};

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let options: Self = TABLE.read(tokens, errors);
        options.exclude(errors);
        options
    }

    /// Returns whether a stage is declared between the tool's own hooks and its function.
    pub(crate) fn has_stages(&self) -> bool {
        let has_guardrails = !self.input_guardrails.is_empty() || !self.output_guardrails.is_empty();
        has_guardrails || self.approval.is_some() || self.cache.is_some()
    }

    /// Returns whether a call must not be repeated.
    pub(crate) fn is_once(&self) -> bool {
        self.effect.as_ref().is_some_and(|effect| effect == "Once")
    }

    /// The check that a hook in the tool's own `hooks` does not repeat its calls, unless it may.
    pub(crate) fn refuses_repetition(&self) -> Option<&'static str> {
        match &self.effect {
            None => Some("HookOfUnstated"),
            Some(_) => self.is_once().then_some("HookOfOnce"),
        }
    }

    /// Options that say opposite things.
    pub(super) fn exclude(&self, errors: &mut Errors) {
        if let Some(cache) = &self.cache {
            if self.is_once() {
                errors.at(
                    &cache.word,
                    "a tool with `effect = once` does something at every call, and a cached result would skip it; remove one of the two",
                );
            } else if self.hints.destructive == Some(true) {
                errors.at(
                    &cache.word,
                    "a `destructive` tool does something at every call, and a cached result would skip it; remove one of the two",
                );
            }
        }
        if let (Some(_), Some(blocking)) = (self.asks, self.blocking) {
            errors.push(
                blocking,
                "a `blocking` function cannot be paused while it asks; write an `async` function, or remove `asks`",
            );
        }
        let Some(effect) = &self.effect else { return };
        let Hints { read_only, destructive, idempotent, .. } = self.hints;
        if effect == "Pure" && destructive == Some(true) {
            errors.push(
                effect.span(),
                "a `pure` tool changes nothing, so it is not `destructive`; remove one of the two",
            );
        } else if effect == "Once" && read_only == Some(true) {
            errors.push(
                effect.span(),
                "a `read_only` tool can be repeated, so it is `pure`, not `once`; remove one of the two",
            );
        } else if effect == "Once" && idempotent == Some(true) {
            errors.push(
                effect.span(),
                "an `idempotent` tool can be repeated, so it is not `once`; remove one of the two",
            );
        }
    }
}

fn meta(meta: &Meta) -> darling::Result<Option<Expr>> {
    match read::value(meta)? {
        other @ (Expr::Lit(_) | Expr::Array(_) | Expr::Tuple(_)) => {
            Err(error_at(other, "expected an object: "))
        }
        value => Ok(Some(value)),
    }
}

fn schema(meta: &Meta) -> darling::Result<Option<Expr>> {
    match read::value(meta)? {
        Expr::Lit(literal) => Err(error_at(literal, "expected an expression of type `serde_json::Value`: ")),
        value => Ok(Some(value)),
    }
}

fn hints(meta: &Meta) -> darling::Result<Hints> {
    let Meta::List(list) = meta else {
        return Err(error_at(
            meta,
            "write the hints in parentheses: `annotations(read_only, open_world = false)`",
        ));
    };
    let hints: Hints = HINTS.read_inside(list.tokens.clone())?;
    if hints.read_only == Some(true) && hints.destructive == Some(true) {
        return Err(error_at(
            meta.path(),
            "a `read_only` tool changes nothing, so it is not `destructive`; remove one of the two",
        ));
    }
    Ok(hints)
}

fn effect(meta: &Meta) -> darling::Result<Option<Ident>> {
    let path: Path = read::path(meta)?;
    if let Some(word) = path.get_ident() {
        return Ok(Some(choice::variant::<Effect>("effect", &word.to_string(), word.span())?));
    }
    let word = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let near = suggest::nearest(&word.to_lowercase(), Effect::WORDS.iter().copied()).unwrap_or("once");
    Err(error_at(path, format_args!("expected one word: `effect = {near}`")))
}
