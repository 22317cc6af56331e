//! `Options` holds the options of `#[tool(..)]`.

use darling::FromMeta;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::Effect;
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
        /// `name = "add_one"` | the name that the model sees: letters, digits, `_`, `-`, at most 64; else the function's
        name: Option<LitStr> = read::text,
        /// `title = "Add one"` | a name for people
        title: Option<Expr> = read::words,
        /// `description = "Adds one."` | instead of the doc comment; any constant text
        description: Option<Expr> = read::words,
        /// `instructions = "Use it for sums."` | goes into the system prompt of agents that have the tool
        instructions: Option<Expr> = read::words,
        /// `meta = [("icon", "plus")]` | data for clients, as MCP's `_meta`; anything that serialises
        meta: Option<Expr> = read::value,
        /// `output_schema = my_schema()` | the JSON Schema of the result (a `serde_json::Value`), instead of the type's
        output_schema: Option<Expr> = self::schema,
        /// `on_error = explain` | `fn(&ToolContext, ToolError) -> ToolResult`: answers tool errors, invalid arguments included; it does not run for a stop or an abort
        on_error: Option<Path> = read::path,
        /// `timeout = 30` | how long one attempt may take: seconds, `"500ms"`, `"30s"`, `"2m"`, `"1h"`, or a constant `Duration`
        timeout: Option<Timeout> = read::time,
        /// `hooks = [audit, retry(3)]` | the tool's own raw hooks, first outside; inside all hooks of the agent
        hooks: Vec<PolicyEntry> = policy_entry::hooks,
        /// `input_guardrails = [no_secrets, max_length(80)]` | check the arguments before the tool runs: [`guardrail`](macro@crate::guardrail)
        input_guardrails: Vec<PolicyEntry> = policy_entry::guardrails,
        /// `output_guardrails = [redact, max_length(80)]` | check the output before hooks and the model see it
        output_guardrails: Vec<PolicyEntry> = policy_entry::guardrails,
        /// `approval`, `approval = is_large` | every call needs approval, or those for which `fn(&Args) -> bool` returns `true` (`-> Option<String>`: a reason): [`Approver`](crate::approval::Approver)
        approval: Option<Approval> = approval_cache::approval,
        /// `asks` | the function may ask a person ([`ToolContext::ask`](crate::ToolContext::ask)), so runs with the tool can pause
        asks: Option<Span> = read::place,
        /// `external` | the calls are done outside of the program: the function has no body (`fn photo() -> String;`), and the run pauses, or its answerer returns the result
        external: Option<Span> = read::place,
        /// `cache`, `cache(ttl = "60s", key = by_city, capacity = 100)` | results are kept for the same arguments, user and session: [`Cache`](crate::Cache)
        cache: Option<Cache> = approval_cache::cache,
        /// `examples = [example(x = 41).output(42).note("An easy one.")]` | examples of calls, checked against the schema: [`ToolExample`](crate::definition::ToolExample)
        examples: Vec<Example> = example::list,
        /// `annotations(read_only, destructive = false, idempotent, open_world)` | hints, as MCP's
        hints as "annotations": Hints = self::hints,
        /// `effect = pure` | `pure`, `idempotent` or `once`: whether a call may be repeated, by a hook or after a crash; no hook repeats a tool without it
        effect: Option<Ident> = self::effect,
        /// `stop_after` | the run ends with this tool's result
        stop_after: bool = read::flag,
        /// `max_calls = 3` | how many calls of one run may start the tool; refused ones and cache hits do not count
        max_calls: Option<Expr> = read::count,
        /// `blocking` | the function (not `async`) runs on a thread of its own; its `CancellationToken` is cancelled when its caller is gone
        blocking: Option<Span> = read::place,
        /// `parse_docs = false` | the doc comment is kept whole
        parse_docs: Option<bool> = read::flag,
        /// `crate = my_onionskin` | where this crate is, if another library re-exports it
        crate_path as "crate": Option<Path> = read::path,
        /// `type_name = AddOne` | another name for the type beside the function
        type_name: Option<Ident> = read::name,
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        state: Option<Type> = read::ty,
        /// `strict` | every parameter has a form in OpenAI's strict rules, which the compiler checks ([`Strict`](trait@crate::Strict)); exports are strict unless their options say otherwise
        strict: bool = read::flag,
    }
}

/// The options of a tool.
pub(super) const TABLE: Table<'_> = Table {
    literal: Some("say which option this is: `name = \"..\"`, `description = \"..\"`"),
    elsewhere: &[
        (
            "input_schema",
            "the schema of the arguments comes from the parameters; describe them with doc comments and `#[arg(..)]`",
        ),
        ("component", "a tool that shows a component is a UI tool: write `#[ui_tool(component = \"..\")]`"),
        ("mode", "a mode belongs to a UI tool: write `#[ui_tool(component = \"..\", mode = inline)]`"),
    ],
    ..Table::new("option", Options::KEYS)
};

options! {
    /// The hints of `annotations(..)`.
    #[derive(Default, FromMeta)]
    pub(crate) struct Hints {
        /// `read_only` | the tool changes nothing
        read_only: Option<bool> = read::flag,
        /// `destructive` | the tool may destroy something
        destructive: Option<bool> = read::flag,
        /// `idempotent` | a second call with the same arguments changes nothing more
        idempotent: Option<bool> = read::flag,
        /// `open_world` | the tool reaches things outside of the program
        open_world: Option<bool> = read::flag,
    }
}

const HINTS: Table<'_> = Table {
    ending: "_hint",
    elsewhere: &[("title", "write `title` as an option of its own")],
    ..Table::new("hint", Hints::KEYS)
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
                    "a tool with `effect = once` does something at every call, which a kept result would not; drop one",
                );
            } else if self.hints.destructive == Some(true) {
                errors.at(
                    &cache.word,
                    "a `destructive` tool does something at every call, which a kept result would not; drop one",
                );
            }
        }
        if let (Some(_), Some(blocking)) = (self.asks, self.blocking) {
            errors.push(
                blocking,
                "a `blocking` function cannot be paused while it asks; write an `async` function, or drop `asks`",
            );
        }
        let Some(effect) = &self.effect else { return };
        let Hints { read_only, destructive, idempotent, .. } = self.hints;
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
            "a `read_only` tool changes nothing, so it is not `destructive`; drop one",
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
    Err(error_at(path, format_args!("an effect is one word: `effect = {near}`")))
}
