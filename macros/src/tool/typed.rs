//! Writes the parts of a tool that typed hooks need: its arguments as a struct, and functions that read, run and write.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Type, parse_quote};

use super::expand::{Expansion, local};
use super::read::ladders;

/// `impl TypedTool`, for tools whose arguments and result can be owned.
pub(super) fn expand(tool: &Expansion<'_>) -> TokenStream {
    if !tool.model.is_typed() {
        return TokenStream::new();
    }
    let parts = Parts::of(tool);
    if tool.model.is_layered() { layered(tool, &parts) } else { plain(tool, &parts) }
}

/// The parts that both forms have in common.
struct Parts {
    output: Type,
    /// A bound that names the output by a parameter of the `impl`: the output may be less visible than the tool.
    same: TokenStream,
    /// The arguments as they were read, and whether the function failed.
    decode: TokenStream,
    failed: TokenStream,
}

impl Parts {
    fn of(tool: &Expansion<'_>) -> Self {
        let arguments = tool.arguments_name();
        let fields = tool.model_params().map(|(_, param)| &param.ident);
        let values: Vec<_> = tool.model_params().map(|(at, _)| local(at)).collect();
        let owned = tool.model_params().map(|(at, param)| param.to_owned(&local(at)));
        let output: Type = tool.model.returned.clone().unwrap_or_else(|| parse_quote!(()));
        let span = tool.model.returned.as_ref().map_or_else(Span::mixed_site, Spanned::span);
        let same = quote_spanned!(span.resolved_at(Span::mixed_site())=> #output: __rt::Same<As = __O>);
        let ladders = ladders(&output);
        let decode = quote! {
            let (#(#values,)*) = __read(__args)?;
            let __read = #arguments { #(#fields: #owned,)* };
        };
        let failed = quote! {
            fn failed(returned: &__O) -> ::core::option::Option<__rt::Failed<'_>> {
                __rt::failed({ #ladders }, <#output as __rt::Same>::seen(returned))
            }
        };
        Self { output, same, decode, failed }
    }
}

/// Writes the form for a tool without layers of its own: the typed hooks call the function.
fn plain(tool: &Expansion<'_>, Parts { output, same, decode, failed }: &Parts) -> TokenStream {
    let type_name = tool.type_name;
    let (arguments, definition) = (tool.arguments_name(), tool.arguments());
    let fields = tool.model_params().map(|(_, param)| &param.ident);
    let values = tool.model_params().map(|(at, _)| local(at));
    let (prepared, fields_of_state, call) = (tool.prepared(), tool.fields(), tool.called(true));
    let object = tool.object();
    let run = quote! {
        #prepared
        #fields_of_state
        ::core::result::Result::Ok(__rt::Same::same(#call))
    };
    let run = if tool.model.options.blocking.is_some() {
        let object = tool.object_for_thread();
        quote! {
            #object
            __rt::offload(__cx, move |__cx| { #run }).await
        }
    } else {
        run
    };
    quote! {
        #definition
        #[diagnostic::do_not_recommend]
        impl<__O: ::core::marker::Send + 'static> __rt::TypedTool for #type_name
        where
            #same,
        {
            type Args = #arguments;
            type Output = __O;
            type Rereads = ();
            type Rewrites = ();

            fn decode(&self, __args: &mut __rt::Args) -> ::core::result::Result<#arguments, __rt::Exit> {
                #decode
                ::core::result::Result::Ok(__read)
            }

            async fn invoke<'a>(
                &'a self,
                __cx: &'a __rt::ToolContext,
                __args: #arguments,
                _: &'a __rt::TypedCall<'a>,
            ) -> __rt::ToolResult<__O> {
                #object
                let #arguments { #(#fields: #values,)* } = __args;
                #run
            }

            fn encode(returned: __O, _: &__rt::TypedCall<'_>) -> __rt::ToolResult {
                __encode(<#output as __rt::Same>::back(returned))
            }

            #failed
        }
    }
}

/// Writes the form for a tool with layers of its own between the typed hooks and the function. These layers work on JSON, so the
/// arguments are written again and the output is read. The typed hook, which names the tool, checks the traits for that.
fn layered(tool: &Expansion<'_>, Parts { output, same, decode, failed }: &Parts) -> TokenStream {
    let type_name = tool.type_name;
    let (arguments, definition) = (tool.arguments_name(), tool.arguments());
    let ladders = ladders(output);
    let parameters: Vec<_> = (0..tool.model_params().count())
        .map(|nth| format_ident!("__A{nth}", span = Span::mixed_site()))
        .collect();
    let bounds = tool.model_params().zip(&parameters).enumerate().map(|(nth, ((_, param), parameter))| {
        let ty = &param.owned;
        let span = param.ty.span().resolved_at(Span::mixed_site());
        quote_spanned!(span=> #ty: __rt::Nth<#nth, As = #parameter>, #parameter: __rt::WrittenAgain)
    });
    let written = tool.model_params().map(|(_, param)| {
        let (name, field, ty) = (&param.name, &param.ident, &param.owned);
        quote!((#name, (&&__rt::Kind::<#ty>::new()).write(&__arguments.#field)))
    });
    quote! {
        #definition
        impl<#(#parameters),*> __rt::ArgumentsWrittenAgain for #arguments
        where
            #(#bounds,)*
        {
        }
        #[diagnostic::do_not_recommend]
        impl<__O: ::core::marker::Send + 'static> __rt::TypedTool for #type_name
        where
            #same,
        {
            type Args = #arguments;
            type Output = __O;
            type Rereads = __O;
            type Rewrites = #arguments;

            fn decode(&self, __args: &mut __rt::Args) -> ::core::result::Result<#arguments, __rt::Exit> {
                #decode
                ::core::result::Result::Ok(__read)
            }

            fn written(__arguments: &#arguments) -> __rt::Written {
                use __rt::ladder::*;
                __rt::Written::of(__rt::Vec::from([#(#written),*]))
            }

            fn invoke<'a>(
                &'a self,
                __cx: &'a __rt::ToolContext,
                __arguments: #arguments,
                __call: &'a __rt::TypedCall<'a>,
            ) -> impl ::core::future::Future<Output = __rt::ToolResult<__O>> + ::core::marker::Send + 'a {
                let __written = <Self as __rt::TypedTool>::written(&__arguments);
                let __args = __call.written(__DEFINITION.get(), __written);
                async move {
                    let __returned: #output = __rt::through(&self.own, __cx, __call, __args?).await?;
                    ::core::result::Result::Ok(__rt::Same::same(__returned))
                }
            }

            fn encode(returned: __O, __call: &__rt::TypedCall<'_>) -> __rt::ToolResult {
                __rt::settled({ #ladders }, __call, <#output as __rt::Same>::back(returned))
            }

            #failed
        }
    }
}
