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
use crate::option::read::Time;
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
        let Model { options, tool_name, description, returns, .. } = self.model;
        let some = |value: TokenStream| quote!(::core::option::Option::Some(#value));
        let yes = |holds: bool| holds.then(|| quote!(true));
        let mut items = TokenStream::new();
        let max_calls = options.max_calls.as_ref().map(|most| match most {
            Expr::Lit(_) => most.to_token_stream(),
            _ => {
                let holds = quote!(__MAX_CALLS > 0);
                items.extend(limit("__MAX_CALLS", &quote!(::core::primitive::u32), most, &holds));
                quote!(__MAX_CALLS)
            }
        });
        let timeout = options.timeout.as_ref().map(|timeout| match &timeout.time {
            Time::Millis(_) => timeout.duration(),
            Time::Duration(value) => {
                let holds = quote!(!__TIMEOUT.is_zero());
                items.extend(limit("__TIMEOUT", &quote!(__rt::Duration), value, &holds));
                quote!(__TIMEOUT)
            }
        });
        let asks = if options.asks.is_some() || options.external.is_some() || self.model.ui.is_some() {
            Some(quote!(__rt::Asks::More))
        } else {
            options.approval.as_ref().map(|_| quote!(__rt::Asks::Approval))
        };
        let ui = self
            .model
            .ui
            .as_ref()
            .map(|Ui { component, mode, .. }| some(quote!((#component, __rt::UiMode::#mode))));
        let page = self.model.ui.as_ref().and_then(|ui| ui.html.as_ref()).map(|html| some(quote!(#html)));
        let examples = example::values(&options.examples, &self.params);
        let fields = [
            ("title", options.title.as_ref().map(|title| some(quote!(#title)))),
            ("instructions", options.instructions.as_ref().map(|text| some(quote!(#text)))),
            ("returns", (!returns.is_empty()).then(|| quote!(#returns))),
            ("output_schema", Some(self.output_schema())),
            (
                "meta",
                options.meta.as_ref().map(|meta| some(quote!(|| __rt::to_value(#meta).unwrap_or_default()))),
            ),
            ("annotations", annotations(&options.hints)),
            (
                "effect",
                options.effect.as_ref().map(|effect| {
                    let effect = Ident::new(&effect.to_string(), Span::call_site());
                    quote!(__rt::Effect::#effect)
                }),
            ),
            ("stop_after", yes(options.stop_after)),
            ("max_calls", max_calls.map(some)),
            ("strict", yes(options.strict)),
            ("timeout", timeout.map(some)),
            ("has_secrets", yes(self.params.iter().any(|param| param.is_secret()))),
            ("layers", self.model.is_layered().then(|| some(options.layers()))),
            ("ui", ui),
            ("page", page),
            ("asks", asks),
            ("services", takes_services.then(|| quote!(__services))),
            ("examples", (!examples.is_empty()).then(|| some(quote!(|| __rt::Vec::from([#(#examples),*]))))),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| {
            let (name, value) = (format_ident!("{name}"), value?);
            Some(quote!(#name: #value,))
        });
        quote! {
            #items
            static __DEFINITION: __rt::Defined =
                __rt::Defined::new(__rt::StaticTool {
                    name: #tool_name,
                    description: #description,
                    params: __PARAMS,
                    #(#fields)*
                    ..__rt::StaticTool::EMPTY
                });
        }
    }

    /// The function that makes the schema of the output.
    fn output_schema(&self) -> TokenStream {
        match (&self.model.options.output_schema, &self.model.returned) {
            (Some(schema), _) => quote!(|| ::core::option::Option::Some(#schema)),
            (None, _) if self.is_plain() => {
                let type_name = self.type_name;
                quote!(__rt::schema_by(<#type_name as __rt::Function<__Veil>>::returned))
            }
            (None, None) => quote!(|| ::core::option::Option::None),
            (None, Some(returned)) => {
                let returned = with_lifetime(returned, "'static");
                let ladders = super::read::ladders(&returned);
                quote!(|| __rt::schema_of::<#returned, _>({ #ladders }))
            }
        }
    }
}

/// The hints that are given.
fn annotations(hints: &Hints) -> Option<TokenStream> {
    let Hints { read_only, destructive, idempotent, open_world } = hints;
    let set = [
        read_only.map(|hint| quote!(hints.read_only = ::core::option::Option::Some(#hint);)),
        destructive.map(|hint| quote!(hints.destructive = ::core::option::Option::Some(#hint);)),
        idempotent.map(|hint| quote!(hints.idempotent = ::core::option::Option::Some(#hint);)),
        open_world.map(|hint| quote!(hints.open_world = ::core::option::Option::Some(#hint);)),
    ];
    set.iter().any(Option::is_some).then(|| {
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
