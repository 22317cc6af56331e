//! The static data of a tool: the table of its parameters and its definition.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use super::example;
use super::expand::Expansion;
use super::model::Model;
use super::options::Hints;
use super::ui::Ui;
use super::values::{show, typed};
use crate::option::read::Timeout;
use crate::param::{PassedAs, with_lifetime};

impl Expansion<'_> {
    /// Defaults as functions, and the table of parameters.
    pub(super) fn tables(&self) -> TokenStream {
        let mut items = TokenStream::new();
        let mut rows = Vec::new();
        for (at, param) in self.params.iter().enumerate() {
            let owned = &param.owned;
            let default = param.default_value().map(|value| {
                let function = format_ident!("__default_{at}");
                items.extend(quote!(fn #function() -> #owned { let value: #owned = #value; value }));
                function
            });
            if !param.is_model() {
                continue;
            }
            let name = &param.name;
            if param.form == PassedAs::Borrowing {
                items.extend(quote_spanned! {param.ty.span().resolved_at(Span::mixed_site())=>
                    const _: bool = {
                        use __rt::NoAlias as _;
                        <#owned as __rt::NamedAsItIs<{ __rt::Alias::<#owned>::IS_ANOTHER }>>::HOLDS
                    };
                });
            }
            let base = if param.form == PassedAs::Borrowing {
                if self.model.options.strict {
                    let span = param.ty.span().resolved_at(Span::mixed_site());
                    items.extend(quote_spanned!(span=> const _: () = __rt::strict::<#owned>();));
                }
                let (reads, ty) = (format_ident!("__reads_{at}"), param.read_type());
                items.extend(quote! {
                    fn #reads<'a>(__raw: __rt::Raw<'a>) -> ::core::result::Result<(), __rt::JsonError> {
                        __rt::reads::<'a, #ty>(__raw)
                    }
                });
                quote!(__rt::Param::borrowing::<#owned>(#name, #reads))
            } else {
                let span = param.ty.span().resolved_at(Span::mixed_site());
                quote_spanned!(span=> __rt::Param::new::<#owned>(#name))
            };
            let mut fields = TokenStream::new();
            if param.has_description {
                let description = &param.description;
                fields.extend(quote!(description: #description,));
            }
            if let Some(function) = default {
                let shown = show(&quote!(#function()));
                fields.extend(quote!(default: ::core::option::Option::Some(|| #shown),));
            }
            if let Some(example) = &param.arg.example {
                let shown = show(&quote!(#example));
                fields.extend(quote!(example: ::core::option::Option::Some(|| #shown),));
            }
            let limits = param.arg.limits();
            if !limits.is_empty() {
                fields.extend(quote!(limits: &[#(#limits),*],));
            }
            rows.push(if fields.is_empty() { base } else { quote!(__rt::Param { #fields ..#base }) });
        }
        quote! {
            #items
            static __PARAMS: &[__rt::Param] = &[#(#rows),*];
        }
    }

    pub(super) fn definition(&self, takes_services: bool) -> TokenStream {
        let Model { options, tool_name, description, returns, returned, .. } = self.model;
        let some = |value: TokenStream| quote!(::core::option::Option::Some(#value));
        let mut fields = quote!(name: #tool_name, description: #description, params: __PARAMS,);
        let mut items = TokenStream::new();
        let texts = [("title", &options.title), ("instructions", &options.instructions)];
        for (key, value) in texts.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
            let (key, value) = (format_ident!("{key}"), some(quote!(#value)));
            fields.extend(quote!(#key: #value,));
        }
        if !returns.is_empty() {
            fields.extend(quote!(returns: #returns,));
        }
        let schema = match (&options.output_schema, returned) {
            (Some(schema), _) => some(quote!(#schema)),
            (None, None) => quote!(::core::option::Option::None),
            (None, Some(returned)) => {
                let returned = with_lifetime(returned, "'static");
                let ladders = super::read::ladders(&returned);
                quote!(__rt::schema_of::<#returned, _>({ #ladders }))
            }
        };
        let schema = if self.is_plain() && options.output_schema.is_none() {
            let type_name = self.type_name;
            quote!(__rt::schema_by(<#type_name as __rt::Function<__Veil>>::returned))
        } else {
            quote!(|| #schema)
        };
        fields.extend(quote!(output_schema: #schema,));
        if let Some(meta) = &options.meta {
            let shown = some(quote!(|| __rt::to_value(#meta).unwrap_or_default()));
            fields.extend(quote!(meta: #shown,));
        }
        if let Some(annotations) = annotations(&options.hints) {
            fields.extend(quote!(annotations: #annotations,));
        }
        if let Some(effect) = &options.effect {
            let effect = Ident::new(&effect.to_string(), Span::call_site());
            fields.extend(quote!(effect: __rt::Effect::#effect,));
        }
        if options.stop_after {
            fields.extend(quote!(stop_after: true,));
        }
        if let Some(most) = &options.max_calls {
            let most = if let Expr::Lit(_) = most {
                most.to_token_stream()
            } else {
                let holds = quote!(__MAX_CALLS > 0);
                items.extend(limit("__MAX_CALLS", &quote!(::core::primitive::u32), most, &holds));
                quote!(__MAX_CALLS)
            };
            let most = some(most);
            fields.extend(quote!(max_calls: #most,));
        }
        if options.strict {
            fields.extend(quote!(strict: true,));
        }
        if let Some(timeout) = &options.timeout {
            let value = match timeout {
                Timeout::Millis(_) => timeout.duration(),
                Timeout::Duration(value) => {
                    let checked =
                        limit("__TIMEOUT", &quote!(__rt::Duration), value, &quote!(!__TIMEOUT.is_zero()));
                    items.extend(checked);
                    quote!(__TIMEOUT)
                }
            };
            let timeout = some(value);
            fields.extend(quote!(timeout: #timeout,));
        }
        if self.params.iter().any(|param| param.is_secret()) {
            fields.extend(quote!(has_secrets: true,));
        }
        if self.model.is_layered() {
            fields.extend(quote!(starts_inside: true,));
        }
        if let Some(Ui { component, mode }) = &self.model.ui {
            let ui = some(quote!((#component, __rt::UiMode::#mode)));
            fields.extend(quote!(ui: #ui,));
        }
        if options.asks.is_some() || options.external.is_some() || self.model.ui.is_some() {
            fields.extend(quote!(asks: __rt::Asks::More,));
        } else if options.approval.is_some() {
            fields.extend(quote!(asks: __rt::Asks::Approval,));
        }
        if takes_services {
            fields.extend(quote!(services: __services,));
        }
        let examples = example::values(&options.examples, &self.params);
        if !examples.is_empty() {
            let examples = some(quote!(|| __rt::Vec::from([#(#examples),*])));
            fields.extend(quote!(examples: #examples,));
        }
        quote! {
            #items
            static __DEFINITION: __rt::Defined =
                __rt::Defined::new(__rt::StaticTool { #fields ..__rt::StaticTool::EMPTY });
        }
    }
}

/// The hints that are given.
fn annotations(hints: &Hints) -> Option<TokenStream> {
    let Hints { read_only, destructive, idempotent, open_world } = hints;
    let hints = [
        ("read_only", read_only),
        ("destructive", destructive),
        ("idempotent", idempotent),
        ("open_world", open_world),
    ];
    let given: Vec<_> = hints.iter().filter_map(|(name, hint)| Some((name, hint.as_ref()?))).collect();
    let set = given.iter().map(|(name, hint)| {
        let name = format_ident!("{name}");
        quote!(hints.#name = ::core::option::Option::Some(#hint);)
    });
    (!given.is_empty()).then(|| {
        quote!({
            let mut hints = __rt::Annotations::NONE;
            #(#set)*
            hints
        })
    })
}

/// A limit as a constant, and the check that calls can keep it; an error about it is shown at what was written.
fn limit(name: &str, ty: &TokenStream, written: &Expr, holds: &TokenStream) -> TokenStream {
    let (name, value) = (Ident::new(name, Span::call_site()), typed(ty, &written.to_token_stream()));
    let last = match written {
        Expr::Path(path) => path.path.segments.last().map(Spanned::span),
        _ => None,
    };
    let span = last.unwrap_or_else(|| written.span()).resolved_at(Span::mixed_site());
    let shown = ty.clone().into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    let shown: TokenStream = shown.collect();
    let check = quote_spanned!(span=> <#shown as __rt::MoreThanZero<{ #holds }>>::HOLDS);
    quote! {
        const #name: #ty = #value;
        const _: ::core::primitive::bool = #check;
    }
}
