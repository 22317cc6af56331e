//! The options of `#[tool(..)]` for the stages between the tool's own hooks and its function, and their expansion.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, Meta, Path};

use super::example::Example;
use super::options::Options;
use crate::keys::keys;
use crate::listed::{Listed, whole};
use crate::option::{Table, Timeout, Written};
use crate::param::Param;
use crate::written::OwnHook;

/// Which calls have to be approved.
pub(crate) enum Approval {
    Always,
    If(Path),
}

/// How results are kept.
pub(crate) struct Cache {
    pub(super) word: Path,
    options: CacheOptions,
}

keys! {
    /// The options of `cache(..)`.
    pub(crate) struct CacheOptions from option: Written<'_> {
        /// `ttl = "60s"` | how long a result is kept
        "ttl" => ttl: Option<Timeout> = Some(option.time("ttl = \"60s\"")?);
        /// `key = path` | a function that makes the key of a call
        "key" => key: Option<Path> = Some(option.path("key = by_city")?);
        /// `capacity = 100` | how many results are kept
        "capacity" => capacity: Option<Expr> = Some(option.count("capacity = 100")?);
    }
}

const CACHE: Table<CacheOptions> = Table {
    literal: Some("say which option this is: `ttl = \"60s\"`, `capacity = 100`"),
    ..Table::new("option of `cache`", CacheOptions::KEYS)
};

impl Options {
    /// Whether a stage is declared between the tool's own hooks and its function.
    pub(crate) fn has_stages(&self) -> bool {
        let has_guardrails = !self.input_guardrails.is_empty() || !self.output_guardrails.is_empty();
        has_guardrails || self.approval.is_some() || self.cache.is_some()
    }

    /// The examples as values, with those of their arguments that there are.
    pub(super) fn example_values(&self, params: &[&Param]) -> Vec<TokenStream> {
        self.examples.iter().map(|example| example.value(params)).collect()
    }

    /// The examples as documentation.
    pub(super) fn documented_examples(&self) -> String {
        let lines: String = self.examples.iter().map(Example::documented).collect();
        if lines.is_empty() { lines } else { format!("\n\n# Examples of calls\n{lines}") }
    }

    /// The guardrails, each with the trait that makes it one and the alias that it goes by.
    fn guardrails(&self) -> impl Iterator<Item = (&OwnHook, Ident, Ident)> {
        let named = |list: &'static str| move |(at, entry)| (entry, word(list), alias(list, at));
        let input = self.input_guardrails.iter().enumerate().map(named("InputGuardrail"));
        input.chain(self.output_guardrails.iter().enumerate().map(named("OutputGuardrail")))
    }

    /// An alias for each guardrail. It is an error if the path is not a guardrail or has other values than it takes. rustc
    /// reports no error where the alias is used.
    pub(super) fn guardrail_checks(&self, own_state: Option<&TokenStream>) -> TokenStream {
        let checks = self.guardrails().map(|(entry, kind, alias)| {
            let (path, spans) = (&entry.path, whole(&entry.path));
            // The path is written once, so that an unresolved path is one error.
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
    pub(super) fn guardrail_states(&self) -> Vec<TokenStream> {
        self.guardrails()
            .map(|(_, kind, alias)| quote!(<<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::State))
            .collect()
    }

    /// The hooks, the guardrails, the approval and the cache as a value.
    fn declared(&self, hooks: &TokenStream) -> TokenStream {
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
        quote!(__rt::ToolPolicy::new() #hooks #approval #cache #(#steps)*)
    }
}

impl Options {
    /// The tool's own hooks and stages as a value.
    pub(super) fn policy(&self, hooks: &TokenStream) -> TokenStream {
        let policy = self.declared(hooks);
        match &self.on_error {
            Some(handler) => {
                let function = quote!(fn(&__rt::ToolContext, __rt::ToolError) -> __rt::ToolResult);
                let handler = typed(&function, &handler.to_token_stream());
                quote!(__rt::recover(#policy, #handler))
            }
            None => policy,
        }
    }
}

impl Cache {
    fn value(&self) -> TokenStream {
        let ttl = self.options.ttl.as_ref().map(|ttl| {
            let ttl = typed(&quote!(__rt::Duration), &ttl.duration());
            quote!(.ttl(#ttl))
        });
        let capacity = self.options.capacity.as_ref().map(|most| {
            let most = typed(&quote!(::core::primitive::usize), &most.to_token_stream());
            quote!(.capacity(#most))
        });
        let cache = quote!(__rt::Cache::new() #ttl #capacity);
        match &self.options.key {
            Some(key) => quote!(__rt::keyed(#cache, #key)),
            None => cache,
        }
    }
}

pub(super) fn approval(option: &Written<'_>) -> syn::Result<Option<Approval>> {
    match option.meta {
        Meta::Path(_) => Ok(Some(Approval::Always)),
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Bool(word), .. }) => Ok(word.value.then_some(Approval::Always)),
            _ => Ok(Some(Approval::If(option.path("approval = is_large")?))),
        },
        Meta::List(list) => Err(syn::Error::new_spanned(
            list,
            "write `approval` alone, or the function that decides: `approval = is_large`",
        )),
    }
}

pub(super) fn cache(option: &mut Written<'_>) -> syn::Result<Cache> {
    let mut options = CacheOptions::default();
    match option.meta {
        Meta::Path(_) => {}
        Meta::List(list) => {
            CACHE.read_list(&mut options, list, option.errors);
        }
        Meta::NameValue(pair) => {
            return Err(syn::Error::new_spanned(
                &pair.value,
                "write `cache` alone, or what is to be said of it in parentheses: `cache(ttl = \"60s\")`",
            ));
        }
    }
    Ok(Cache { word: option.meta.path().clone(), options })
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
