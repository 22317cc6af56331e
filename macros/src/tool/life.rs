//! The options of `#[tool(..)]` for what stands between the tool's own hooks and its function, and what is written for
//! them.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, Meta, Path, Token};

use super::attr::Options;
use super::example::Example;
use crate::diag::Errors;
use crate::listed::{Listed, whole};
use crate::option::{Timeout, count, each_option, path, time};
use crate::param::Param;
use crate::suggest;
use crate::written::{OwnHook, entries};

/// What a tool says of the life of its calls.
#[derive(Default)]
pub(crate) struct Life {
    pub(crate) approval: Option<Approval>,
    pub(crate) cache: Option<Cache>,
    pub(crate) input: Vec<OwnHook>,
    pub(crate) output: Vec<OwnHook>,
    pub(crate) examples: Vec<Example>,
}

/// Which calls have to be approved.
pub(crate) enum Approval {
    Always,
    If(Path),
}

/// How results are kept.
pub(crate) struct Cache {
    word: Path,
    ttl: Option<Timeout>,
    key: Option<Path>,
    capacity: Option<Expr>,
}

pub(super) const KEYS: [&str; 5] = ["input_guardrails", "output_guardrails", "approval", "cache", "examples"];

const CACHE_KEYS: &[&str] = &["ttl", "key", "capacity"];

impl Life {
    /// Reads an option that belongs here.
    pub(super) fn read(&mut self, key: &str, meta: &Meta, errors: &mut Errors) {
        match key {
            "input_guardrails" => {
                let example = "input_guardrails = [no_secrets, max_length(80)]";
                self.input = entries(meta, "guardrail", example, errors);
            }
            "output_guardrails" => {
                let example = "output_guardrails = [redact, max_length(80)]";
                self.output = entries(meta, "guardrail", example, errors);
            }
            "approval" => self.approval = approval(meta, errors),
            "cache" => self.cache = cache(meta, errors),
            "examples" => self.examples = Example::list(meta, errors),
            _ => {}
        }
    }

    /// Options that say opposite things.
    pub(super) fn exclude(&self, options: &Options, errors: &mut Errors) {
        let Some(cache) = &self.cache else { return };
        if options.effect.as_ref().is_some_and(|effect| effect == "Once") {
            errors.at(
                &cache.word,
                "a tool with `effect = once` does something at every call, which a kept result would not; drop one",
            );
        } else if options.hints[1] == Some(true) {
            errors.at(
                &cache.word,
                "a `destructive` tool does something at every call, which a kept result would not; drop one",
            );
        }
    }

    /// Whether no stage is declared.
    pub(crate) fn is_empty(&self) -> bool {
        let once = self.approval.is_none() && self.cache.is_none();
        once && self.input.is_empty() && self.output.is_empty()
    }

    /// The examples as values, with those of their arguments that there are.
    pub(super) fn examples(&self, params: &[&Param]) -> Vec<TokenStream> {
        self.examples.iter().map(|example| example.value(params)).collect()
    }

    /// The examples as documentation.
    pub(super) fn documented(&self) -> String {
        let lines: String = self.examples.iter().map(Example::documented).collect();
        if lines.is_empty() { lines } else { format!("\n\n# Examples of calls\n{lines}") }
    }

    /// The guardrails, each with the trait that makes it one and the alias that it goes by.
    fn guardrails(&self) -> impl Iterator<Item = (&OwnHook, Ident, Ident)> {
        let named = |list: &'static str| move |(at, entry)| (entry, word(list), alias(list, at));
        let input = self.input.iter().enumerate().map(named("InputGuardrail"));
        input.chain(self.output.iter().enumerate().map(named("OutputGuardrail")))
    }

    /// An alias for each guardrail: an error, about whose uses the compiler is silent, if it is none, or stands with other
    /// values than it takes.
    pub(super) fn checks(&self, own_state: Option<&TokenStream>) -> TokenStream {
        let checks = self.guardrails().map(|(entry, kind, alias)| {
            let (path, spans) = (&entry.path, whole(&entry.path));
            // Named once, so that what is no type at all is one error.
            let named = format_ident!("__{alias}", span = spans[1]);
            let kind = quote!(__rt::#kind);
            let state = own_state.map(|state| fits(path, &named, &kind, state));
            let is_named = Listed { alias: &named, kind, spans }.is_named_with(entry.values);
            quote_spanned! {path.span()=>
                type #named = #path;
                type #alias = <__rt::Known<{ #is_named #state }> as __rt::Is>::Type<#named>;
            }
        });
        quote!(#(#checks)*)
    }

    /// The states that the guardrails work on.
    pub(super) fn states(&self) -> Vec<TokenStream> {
        self.guardrails()
            .map(|(_, kind, alias)| quote!(<<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::State))
            .collect()
    }

    /// The value of all that.
    fn value(&self) -> TokenStream {
        let steps = self.guardrails().map(|(entry, kind, alias)| {
            let method = word(if kind == "InputGuardrail" { "input" } else { "output" });
            let with = &entry.with;
            quote! {
                .#method({
                    let with: <<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::Values = #with;
                    <<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::configure(with)
                })
            }
        });
        let approval = self.approval.as_ref().map(|approval| match approval {
            Approval::Always => quote!(.approval()),
            Approval::If(path) => quote!(.approval_if(__rt::approval_by(#path))),
        });
        let cache = self.cache.as_ref().map(|cache| {
            let cache = cache.value();
            quote!(.cache(#cache))
        });
        quote!(__rt::Life::new() #approval #cache #(#steps)*)
    }
}

impl Options {
    /// The life of the tool's calls as a value.
    pub(super) fn life(&self) -> TokenStream {
        let life = self.life.value();
        match &self.on_error {
            Some(handler) => {
                let function = quote!(fn(&__rt::ToolContext, __rt::ToolError) -> __rt::ToolResult);
                let handler = typed(&function, &handler.to_token_stream());
                quote!(__rt::recover(#life, #handler))
            }
            None => life,
        }
    }
}

impl Cache {
    fn value(&self) -> TokenStream {
        let ttl = self.ttl.as_ref().map(|ttl| {
            let ttl = typed(&quote!(__rt::Duration), &ttl.duration());
            quote!(.ttl(#ttl))
        });
        let capacity = self.capacity.as_ref().map(|most| {
            let most = typed(&quote!(::core::primitive::usize), &most.to_token_stream());
            quote!(.capacity(#most))
        });
        let cache = quote!(__rt::Cache::new() #ttl #capacity);
        match &self.key {
            Some(key) => quote!(__rt::keyed(#cache, #key)),
            None => cache,
        }
    }
}

fn approval(meta: &Meta, errors: &mut Errors) -> Option<Approval> {
    match meta {
        Meta::Path(_) => Some(Approval::Always),
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Bool(word), .. }) => word.value.then_some(Approval::Always),
            _ => path(meta, "approval = is_large", errors).map(Approval::If),
        },
        Meta::List(list) => {
            errors.at(list, "write `approval` alone, or the function that decides: `approval = is_large`");
            None
        }
    }
}

fn cache(meta: &Meta, errors: &mut Errors) -> Option<Cache> {
    let mut cache = Cache { word: meta.path().clone(), ttl: None, key: None, capacity: None };
    let list = match meta {
        Meta::Path(_) => return Some(cache),
        Meta::List(list) => list,
        Meta::NameValue(pair) => {
            errors.at(
                &pair.value,
                "write `cache` alone, or what is to be said of it in parentheses: `cache(ttl = \"60s\")`",
            );
            return None;
        }
    };
    if let Some(TokenTree::Literal(literal)) = list.tokens.clone().into_iter().next() {
        errors.at(literal, "say which option this is: `ttl = \"60s\"`, `capacity = 100`");
        return None;
    }
    let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    each_option(parsed, errors, |key, meta, errors| match key {
        "ttl" => cache.ttl = time(meta, "ttl = \"60s\"", errors),
        "key" => cache.key = path(meta, "key = by_city", errors),
        "capacity" => cache.capacity = count(meta, "capacity = 100", errors),
        _ => errors.at(meta.path(), suggest::unknown("option of `cache`", key, CACHE_KEYS)),
    });
    Some(cache)
}

/// A value whose type is said beside it. In tuples, so that an error about it shows nothing but it.
pub(super) fn typed(ty: &TokenStream, value: &TokenStream) -> TokenStream {
    let name = Ident::new("value", Span::mixed_site());
    quote!({ let (#name,): (#ty,) = (#value,); #name })
}

/// `&& ..`, that a hook or a guardrail works on the tool's own state; reported at all of its path.
pub(super) fn fits(path: &Path, named: &Ident, kind: &TokenStream, state: &TokenStream) -> TokenStream {
    let last = path.segments.last().map_or_else(|| path.span(), Spanned::span);
    let open = quote_spanned!(path.span()=> <);
    let made = quote_spanned!(last=> >::Made);
    let of = quote_spanned!(last=> >::State);
    let close = quote_spanned!(last=> >::FITS);
    quote!(&& #open #open #open #named as #kind #made as __rt::MadeBy<#named> #of as __rt::FitsTool<#state> #close)
}

fn word(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

fn alias(list: &str, index: usize) -> Ident {
    Ident::new(&format!("{list}AsWritten{index}"), Span::mixed_site())
}
