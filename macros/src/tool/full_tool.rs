//! A tool that needs more around its function than `plain_tool` writes: arguments or results that borrow,
//! hooks of its own, a handler for its errors, a thread.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse_quote;
use syn::spanned::Spanned;

use super::expand::{self, Expansion, as_written, local, named};
use super::read::{ladders, ladders_of};
use super::typed;
use crate::listed::{Listed, whole};

impl Expansion<'_> {
    /// `impl Tool`, and the items that it needs.
    pub(super) fn full_tool(&self, state: &TokenStream) -> TokenStream {
        let (name, type_name) = (&self.model.tool_name, self.type_name);
        let (read, call, encode) = (self.read(), self.send_call(), self.encode());
        let (items, run) = self.run();
        let typed = typed::expand(self);
        quote! {
            #read
            #call
            #encode
            #items
            #[diagnostic::do_not_recommend]
            impl<__S: 'static + __rt::Works> __rt::Tool for #type_name
            where
                #state: __rt::Nth<0, As = __S>,
            {
                const NAME: &'static ::core::primitive::str = #name;
                type State = __S;
                fn definition(&self) -> &__rt::ToolDefinition {
                    __DEFINITION.get()
                }
                #run
            }
            #typed
        }
    }

    /// Reads the arguments into a tuple.
    fn read(&self) -> TokenStream {
        let types = self.model_params().map(|(_, param)| param.read_type());
        let read = self.reading();
        quote! {
            fn __read<'a>(
                __args: &'a mut __rt::Args,
            ) -> ::core::result::Result<(#(#types,)*), __rt::Exit> {
                #read
            }
        }
    }

    /// An async function's call, checked to be `Send` once, at the function's name.
    fn send_call(&self) -> Option<TokenStream> {
        if !self.model.is_async {
            return None;
        }
        let callee = self.callee();
        let span = self.model.function.span().resolved_at(Span::mixed_site());
        let of = Ident::new("__of", Span::call_site());
        let object = self.model.method.as_ref().filter(|method| method.takes_self);
        let values: Vec<_> =
            object.iter().map(|_| of.clone()).chain((0..self.params.len()).map(local)).collect();
        let self_ty = object.map(|method| {
            let self_ty = &method.self_ty;
            quote!(&#self_ty)
        });
        let types = self_ty.into_iter().chain(self.params.iter().map(|param| param.ty.to_token_stream()));
        let call = self.checked_call(quote!(#callee(#(#values),*)));
        let lifetimes = &self.model.generics;
        let bounds = &self.model.generics.where_clause;
        let output =
            if let Some(returned) = &self.model.returned { returned.to_token_stream() } else { quote!(()) };
        let future = quote_spanned! {span=>
            impl ::core::future::Future<Output = #output> + ::core::marker::Send
        };
        Some(quote! {
            fn __call #lifetimes (#(#values: #types),*) -> #future #bounds {
                #call
            }
        })
    }

    /// The call of the function, its values in local variables, and its end.
    pub(super) fn called(&self, owned: bool) -> TokenStream {
        let (callee, passed) = (self.callee(), self.passed(owned));
        if self.model.is_async { quote!(__call(#(#passed),*).await) } else { quote!(#callee(#(#passed),*)) }
    }

    fn encode(&self) -> TokenStream {
        let Some(returned) = &self.model.returned else {
            let ladders = ladders(&parse_quote!(()));
            return quote! {
                fn __encode(returned: ()) -> __rt::ToolResult {
                    __rt::encode({ #ladders }, returned)
                }
            };
        };
        let lifetimes = &self.model.generics;
        let bounds = &self.model.generics.where_clause;
        let value = Ident::new("returned", Span::mixed_site());
        let ladders = ladders_of(&value, returned);
        quote! {
            fn __encode #lifetimes (#value: #returned) -> __rt::ToolResult #bounds {
                __rt::encode({ #ladders }, #value)
            }
        }
    }

    /// `Tool::run`, and the core inside the tool's own hooks.
    fn run(&self) -> (TokenStream, TokenStream) {
        let values: Vec<_> = self.model_params().map(|(at, _)| local(at)).collect();
        let (prepared, fields) = (self.prepared(), self.fields());
        let body = if self.model.options.blocking.is_some() {
            let owned = self.model_params().map(|(at, param)| param.to_owned(&local(at)));
            let call = self.called(true);
            let object = self.object_for_thread();
            quote! {
                #object
                let (#(#values,)*) = __read(__args)?;
                let (#(#values,)*) = (#(#owned,)*);
                __rt::offload(__cx, move |__cx| {
                    #prepared
                    #fields
                    __encode(#call)
                })
                .await
            }
        } else {
            let call = self.called(false);
            quote! {
                let (#(#values,)*) = __read(__args)?;
                #prepared
                #fields
                __encode(#call)
            }
        };
        let object_type = expand::object_type(self.model, &quote!(__rt));
        let inputs = quote!(__of: &#object_type, __cx: &__rt::ToolContext, __args: &mut __rt::Args);
        let (items, body) = if self.model.is_layered() {
            let inside = self.inside(&object_type, &inputs, &body);
            (inside, quote!(__rt::Call::call(&self.own, __cx, __args).await))
        } else {
            let object = self.model.method.as_ref().map(|_| quote!(let __of = &self.of;));
            (quote!(), quote!(#object #body))
        };
        let stages = self.stages();
        let run = quote! {
            #stages
            async fn run<'a>(
                &'a self,
                __cx: &'a __rt::ToolContext,
                __args: &'a mut __rt::Args,
            ) -> __rt::ToolResult {
                #body
            }
        };
        (items, run)
    }

    /// The core inside the tool's own layers, and the checks of these layers.
    fn inside(&self, object_type: &TokenStream, inputs: &TokenStream, body: &TokenStream) -> TokenStream {
        let (type_name, own) = (self.type_name, self.state_type());
        let hooks = self.model.options.hooks.iter().enumerate().map(|(index, hook)| {
            let (named, as_written) = (named(type_name, index, hook), as_written(index));
            let listed = Listed { alias: &named, kind: quote!(__rt::Hook), spans: whole(&hook.path) };
            let state = own.as_ref().map(|state| listed.fits(state));
            let (is_named, typed) = (listed.is_named_with(hook.values), listed.made("TYPED"));
            let is_raw = listed.holds("OwnHook", &quote!({ !#typed }));
            let repeats = listed.item("REPEATS");
            let repeats = self.model.options.refuses_repetition().map(|check| {
                let holds = listed.holds(check, &quote!({ !#repeats }));
                quote!(&& #holds)
            });
            quote_spanned! {hook.path.span()=>
                type #as_written =
                    <__rt::Known<{ #is_named && #is_raw #repeats #state }> as __rt::Is>::Type<#named>;
            }
        });
        let guardrails = self.model.options.guardrail_checks(own.as_ref());
        quote! {
            #guardrails
            #[doc(hidden)]
            impl __rt::Body<#object_type> for #type_name {
                fn definition() -> &'static __rt::ToolDefinition {
                    __DEFINITION.get()
                }
                async fn body(#inputs) -> __rt::ToolResult {
                    #body
                }
            }
            #(#hooks)*
        }
    }

    /// Writes the tool's methods for stages: it has none of a hand-written tool, and it accepts more of its own.
    fn stages(&self) -> TokenStream {
        let with_policy = self.model.is_layered().then(|| {
            let of = self.model.method.as_ref().map(|_| quote!(__rt::Arc::clone(&self.of)));
            quote! {
                fn with_policy(&self, more: &__rt::ToolPolicy) -> ::core::option::Option<Self> {
                    ::core::option::Option::Some(Self::within(__policy().and(more), #of))
                }
            }
        });
        let options = &self.model.options;
        let can_change_args = !options.hooks.is_empty() || !options.input_guardrails.is_empty();
        let check = if can_change_args {
            // The tool's hooks and guardrails can still change the arguments.
            quote!(::core::result::Result::Ok(()))
        } else {
            quote!(__rt::check_args(__DEFINITION.get(), __args))
        };
        quote! {
            #with_policy
            fn check_args(
                &self,
                _: &__rt::ToolContext,
                __args: &__rt::Args,
            ) -> ::core::result::Result<(), __rt::Exit> {
                #check
            }
            #[inline]
            fn run_staged<'a>(
                &'a self,
                __cx: &'a __rt::ToolContext,
                __args: &'a mut __rt::Args,
            ) -> impl ::core::future::Future<Output = __rt::ToolResult> + ::core::marker::Send + 'a {
                __rt::Tool::run(self, __cx, __args)
            }
        }
    }
}
