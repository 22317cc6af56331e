//! The usual tool: its arguments and its result are owned, and it has no layers. The macro writes what differs between
//! tools; the runtime has the rest once.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Type, parse_quote};

use super::expand::{Expansion, local};
use super::read::{default_of, ladders};

impl Expansion<'_> {
    /// The struct of the arguments that the model fills, by the names of the parameters.
    pub(super) fn arguments(&self) -> TokenStream {
        let name = self.arguments_name();
        let words = format!("The arguments of `{}`.", self.model.tool_name);
        let fields = self.model_params().map(|(_, param)| &param.ident);
        let types = self.model_params().map(|(_, param)| &param.owned);
        let docs = self.model_params().map(|(_, param)| &param.description);
        quote! {
            #[doc = #words]
            pub struct #name {
                #(#[doc = #docs] pub #fields: #types,)*
            }
        }
    }

    pub(super) fn arguments_name(&self) -> proc_macro2::Ident {
        format_ident!("ArgsOf_{}", self.type_name.unraw())
    }

    /// `impl Function`.
    pub(super) fn plain_tool(&self, state: &TokenStream) -> TokenStream {
        let (name, type_name) = (&self.model.tool_name, self.type_name);
        let (struct_name, arguments) = (self.arguments_name(), self.arguments());
        let fields: Vec<_> = self.model_params().map(|(_, param)| &param.ident).collect();
        let values: Vec<_> = self.model_params().map(|(at, _)| local(at)).collect();
        let types = nested(self.model_params().map(|(_, param)| param.owned.clone()));
        let read = nested(values.iter().map(ToTokens::to_token_stream));
        let defaults = nested(self.model_params().map(|(at, param)| default_of(at, param)));
        let spans = values.iter().map(|_| quote!(__rt::None));
        let arguments_with_values = quote!(#struct_name { #(#fields: #values,)* });
        let output: Type = self.model.returned.clone().unwrap_or_else(|| parse_quote!(()));
        let span = self.model.returned.as_ref().map_or_else(Span::mixed_site, Spanned::span);
        let checked_state = self.checked_state(state);
        let checked_output = self.checked_result(&output);
        let output_item =
            quote_spanned!(span.resolved_at(Span::mixed_site())=> type Output = #checked_output;);
        let at_name = self.model.function.span().resolved_at(Span::mixed_site());
        let future = quote_spanned! {at_name=>
            __rt::Result<
                impl ::core::future::Future<Output = #output> + ::core::marker::Send + 'a,
                __rt::Exit,
            >
        };
        let (callee, passed, object) = (self.callee(), self.passed(true), self.object());
        let call = self.checked_call(quote!(#callee(#(#passed),*)));
        let (prepared, of_state) = (self.prepared(), self.fields());
        let (before, call) = match (self.model.is_async, self.passes_references()) {
            (false, _) if of_state.is_empty() => (None, quote!(__rt::lazy(move |_| #call))),
            (false, _) => (None, quote!(__rt::lazy(move |_| { #of_state #call }))),
            (true, false) => (Some(of_state), call),
            (true, true) => (None, quote!(async move { #of_state #call.await })),
        };
        // rustc reports a future that cannot be sent between threads at the function's name.
        let called = quote_spanned!(at_name=> __rt::Ok(#call));
        let ladders = ladders(&output);
        // rustc checks here that a tool can have this result, and reports it at the type.
        let returned = quote_spanned!(span.resolved_at(Span::mixed_site())=> impl __rt::Returned<#output>);
        quote! {
            #arguments
            struct __Veil;
            impl<V> __rt::Veiled for #type_name
            where
                __Veil: __rt::Same<As = V>,
            {
                type Veil = V;
            }
            impl __rt::Function<__Veil> for #type_name {
                const NAME: &'static ::core::primitive::str = #name;
                type State = #checked_state;
                type Args = #struct_name;
                #output_item

                fn defined() -> &'static __rt::Defined {
                    &__DEFINITION
                }

                fn read(__args: &mut __rt::Args) -> __rt::Result<#struct_name, __rt::Exit> {
                    match __rt::read::<#types>(&__DEFINITION, __args, &mut [#(#spans),*], #defaults) {
                        __rt::Ok(#read) => __rt::Ok(#arguments_with_values),
                        __rt::Err(exit) => __rt::Err(exit),
                    }
                }

                fn call<'a>(
                    &'a self,
                    __cx: &'a __rt::ToolContext,
                    #arguments_with_values: #struct_name,
                ) -> #future {
                    #object
                    #prepared
                    #before
                    #called
                }

                fn returned() -> #returned {
                    #ladders
                }
            }
        }
    }
}

/// One inside the other: `(a, (b, ()))`. The runtime reads such values with code that all tools share.
fn nested(all: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    all.rev().fold(quote!(()), |rest, one| quote!((#one, #rest)))
}
