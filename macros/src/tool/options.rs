//! `Options` holds the options of `#[tool(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Expr, LitStr, Meta, Path, Type};

use super::approval_cache::{Approval, Cache, approval, cache};
use super::example::Example;
use crate::choice::{self, EFFECTS};
use crate::diag::Errors;
use crate::keys::keys;
use crate::option::{Table, Timeout, WrittenOption};
use crate::policy_entry::{PolicyEntry, entries};
use crate::suggest;

keys! {
    /// The options of `#[tool(..)]`.
    pub(crate) struct Options from option: WrittenOption<'_> {
        /// `name = "add"` | the name that the model sees: letters, digits, `_`, `-`, at most 64; else the function's
        "name" => name: Option<LitStr> = Some(option.text("name = \"add_one\"")?);
        /// `title = ".."` | a name for people
        "title" => title: Option<Expr> = Some(option.words("title = \"Add one\"")?);
        /// `description = ".."` | instead of the doc comment; any constant text
        "description" => description: Option<Expr> = Some(option.words("description = \"Adds one.\"")?);
        /// `instructions = ".."` | goes into the system prompt of agents that have the tool
        "instructions" => instructions: Option<Expr> = Some(option.words("instructions = \"Use it for sums.\"")?);
        /// `meta = expr` | data for clients, as MCP's `_meta`; anything that serialises
        "meta" => meta: Option<Expr> = Some(option.value("meta = [(\"icon\", \"plus\")]")?);
        /// `output_schema = expr` | the JSON Schema of the result (a `serde_json::Value`), instead of the type's
        "output_schema" => output_schema: Option<Expr> = Some(schema(option)?);
        /// `on_error = path` | `fn(&ToolContext, ToolError) -> ToolResult`: answers tool errors, invalid arguments included; it does not run for a stop or an abort
        "on_error" => on_error: Option<Path> = Some(option.path("on_error = explain")?);
        /// `timeout = 30` | how long one attempt may take: seconds, `"500ms"`, `"30s"`, `"2m"`, `"1h"`, or a constant `Duration`
        "timeout" => timeout: Option<Timeout> = Some(option.time("timeout = \"30s\"")?);
        /// `hooks = [audit, retry(3)]` | the tool's own raw hooks, first outside; inside all hooks of the agent
        "hooks" => hooks: Vec<PolicyEntry> = entries(option, "hook", "hooks = [audit, retry(3)]")?;
        /// `input_guardrails = [no_secrets]` | check the arguments before the tool runs: [`guardrail`](macro@crate::guardrail)
        "input_guardrails" => input_guardrails: Vec<PolicyEntry> =
            entries(option, "guardrail", "input_guardrails = [no_secrets, max_length(80)]")?;
        /// `output_guardrails = [redact]` | check the output before hooks and the model see it
        "output_guardrails" => output_guardrails: Vec<PolicyEntry> =
            entries(option, "guardrail", "output_guardrails = [redact, max_length(80)]")?;
        /// `approval`, `approval = path` | every call needs approval, or those for which `fn(&Args) -> bool` returns `true` (`-> Option<String>`: a reason): [`Approver`](crate::approval::Approver)
        "approval" => approval: Option<Approval> = approval(option)?;
        /// `asks` | the function may ask a person ([`ToolContext::ask`](crate::ToolContext::ask)), so runs with the tool can pause
        "asks" => asks: Option<Span> = option.flag()?.then(|| option.meta.span());
        /// `external` | the calls are done outside of the program: the function has no body (`fn photo() -> String;`), and the run pauses, or its answerer returns the result
        "external" => external: Option<Span> = option.flag()?.then(|| option.meta.span());
        /// `cache`, `cache(ttl = "60s", key = path, capacity = 100)` | results are kept for the same arguments, user and session: [`Cache`](crate::Cache)
        "cache" => cache: Option<Cache> = Some(cache(option)?);
        /// `examples = [example(x = 41).output(42).note("..")]` | examples of calls, checked against the schema: [`ToolExample`](crate::definition::ToolExample)
        "examples" => examples: Vec<Example> = Example::list(option)?;
        /// `annotations(read_only, destructive = false, idempotent, open_world)` | hints, as MCP's
        "annotations" => hints: Hints = hints(option)?;
        /// `effect = pure` | `pure`, `idempotent` or `once`: whether a call may be repeated, by a hook or after a crash; no hook repeats a tool without it
        "effect" => effect: Option<Ident> = Some(effect(option)?);
        /// `stop_after` | the run ends with this tool's result
        "stop_after" => stop_after: bool = option.flag()?;
        /// `max_calls = 3` | how many calls of one run may start the tool; refused ones and cache hits do not count
        "max_calls" => max_calls: Option<Expr> = Some(option.count("max_calls = 3")?);
        /// `blocking` | the function (not `async`) runs on a thread of its own; its `CancellationToken` is cancelled when its caller is gone
        "blocking" => blocking: Option<Span> = option.flag()?.then(|| option.meta.span());
        /// `parse_docs = false` | the doc comment is kept whole
        "parse_docs" => parse_docs: bool [true] = option.flag()?;
        /// `crate = path` | where this crate is, if another library re-exports it
        "crate" => crate_path: Option<Path> = Some(option.path("crate = my_onionskin")?);
        /// `type_name = AddOne` | another name for the type beside the function
        "type_name" => type_name: Option<Ident> = Some(option.name("type_name = AddOne")?);
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        "state" => state: Option<Type> = Some(option.ty("state = Ledger")?);
        /// `strict` | every parameter has a form in OpenAI's strict rules, which the compiler checks ([`Strict`](trait@crate::Strict)); exports are strict unless their options say otherwise
        "strict" => strict: bool = option.flag()?;
    }
}

const TABLE: Table<Options> = Table {
    literal: Some("say which option this is: `name = \"..\"`, `description = \"..\"`"),
    texts: &["name", "title", "description", "instructions"],
    types: &["state"],
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

keys! {
    /// The hints of `annotations(..)`.
    pub(crate) struct Hints from option: WrittenOption<'_> {
        /// `read_only` | the tool changes nothing
        "read_only" => read_only: Option<bool> = Some(option.flag()?);
        /// `destructive` | the tool may destroy something
        "destructive" => destructive: Option<bool> = Some(option.flag()?);
        /// `idempotent` | a second call with the same arguments changes nothing more
        "idempotent" => idempotent: Option<bool> = Some(option.flag()?);
        /// `open_world` | the tool reaches things outside of the program
        "open_world" => open_world: Option<bool> = Some(option.flag()?);
    }
}

const HINTS: Table<Hints> = Table {
    ending: "_hint",
    elsewhere: &[("title", "write `title` as an option of its own")],
    ..Table::new("hint", Hints::KEYS)
};

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        TABLE.read(&mut options, tokens, errors);
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
    fn exclude(&self, errors: &mut Errors) {
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

fn schema(option: &WrittenOption<'_>) -> syn::Result<Expr> {
    const EXAMPLE: &str = "output_schema = my_schema()";
    match option.value(EXAMPLE)? {
        Expr::Lit(literal) => Err(syn::Error::new_spanned(
            literal,
            format_args!("an expression that gives a `serde_json::Value` is wanted here: `{EXAMPLE}`"),
        )),
        value => Ok(value),
    }
}

fn hints(option: &mut WrittenOption<'_>) -> syn::Result<Hints> {
    let Meta::List(list) = option.meta else {
        return Err(syn::Error::new_spanned(
            option.meta,
            "write the hints in parentheses: `annotations(read_only, open_world = false)`",
        ));
    };
    let mut hints = Hints::default();
    HINTS.read_list(&mut hints, list, option.errors);
    if hints.read_only == Some(true) && hints.destructive == Some(true) {
        option.errors.at(
            option.meta.path(),
            "a `read_only` tool changes nothing, so it is not `destructive`; drop one",
        );
    }
    Ok(hints)
}

fn effect(option: &WrittenOption<'_>) -> syn::Result<Ident> {
    let path = option.path("effect = once")?;
    if let Some(word) = path.get_ident() {
        return choice::variant(EFFECTS, "effect", &word.to_string(), word.span());
    }
    let word = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let near = suggest::nearest(&word.to_lowercase(), choice::words(EFFECTS)).unwrap_or("once");
    Err(syn::Error::new_spanned(path, format_args!("an effect is one word: `effect = {near}`")))
}

#[cfg(test)]
mod tests {
    use super::{Hints, Options};
    use crate::keys::{assert_documented, assert_shown, find};

    #[test]
    fn t4_the_documentation_lists_each_option_as_the_table_has_it() {
        assert_documented("tool.md", "# Options", Options::KEYS);
        assert_shown("tool", Options::KEYS);
    }

    #[test]
    fn t4_the_documentation_lists_each_hint() {
        let row = find(Options::KEYS, "annotations").unwrap().row;
        for hint in Hints::KEYS {
            assert!(row.contains(hint.name), "{} is not in the row of `annotations`", hint.name);
        }
        assert_shown("annotations", Hints::KEYS);
    }
}
