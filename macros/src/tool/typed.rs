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
    let (type_name, arguments, definition) = (tool.type_name, tool.arguments_name(), tool.arguments());
    let output: Type = tool.model.returned.clone().unwrap_or_else(|| parse_quote!(()));
    let span = tool.model.returned.as_ref().map_or_else(Span::mixed_site, Spanned::span);
    // It names the output by a parameter of the `impl`: the output may be less visible than the tool.
    let same = quote_spanned!(span.resolved_at(Span::mixed_site())=> #output: __rt::Same<As = __O>);
    let fields = tool.model_params().map(|(_, param)| &param.ident);
    let values = tool.model_params().map(|(at, _)| local(at));
    let owned = tool.model_params().map(|(at, param)| param.to_owned(&local(at)));
    let ladders = ladders(&output);
    let form = if tool.model.is_layered() { layered(tool, &output) } else { plain(tool, &output) };
    let checks = tool.model.is_layered().then(|| encoding_checks(tool));
    quote! {
        #definition
        #checks
        #[diagnostic::do_not_recommend]
        impl<__O: ::core::marker::Send + 'static> __rt::TypedTool for #type_name
        where
            #same,
        {
            type Args = #arguments;
            type Output = __O;

            fn decode(&self, __args: &mut __rt::Args) -> ::core::result::Result<#arguments, __rt::Exit> {
                let (#(#values,)*) = __read(__args)?;
                let __read = #arguments { #(#fields: #owned,)* };
                ::core::result::Result::Ok(__read)
            }

            #form

            fn failed(returned: &__O) -> ::core::option::Option<__rt::Failed<'_>> {
                __rt::failed({ #ladders }, <#output as __rt::Same>::as_type(returned))
            }
        }
    }
}

/// The form of a tool without layers of its own: the typed hooks call the function.
fn plain(tool: &Expansion<'_>, output: &Type) -> TokenStream {
    let arguments = tool.arguments_name();
    let fields = tool.model_params().map(|(_, param)| &param.ident);
    let values = tool.model_params().map(|(at, _)| local(at));
    let (prepared, fields_of_state, call) = (tool.prepared(), tool.fields(), tool.called(true));
    let object = tool.object();
    let run = quote! {
        #prepared
        #fields_of_state
        ::core::result::Result::Ok(__rt::Same::__same(#call))
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
        type Rereads = ();
        type Rewrites = ();

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
    }
}

/// The form of a tool with layers of its own between the typed hooks and the function. These layers work on JSON, so the
/// arguments are written again and the output is read. The typed hook, which names the tool, checks the traits for that.
fn layered(tool: &Expansion<'_>, output: &Type) -> TokenStream {
    let (arguments, ladders) = (tool.arguments_name(), ladders(output));
    let written = tool.model_params().map(|(_, param)| {
        let (name, field, ty) = (&param.name, &param.ident, &param.owned);
        quote!((#name, (&&__rt::Kind::<#ty>::new()).write(&__arguments.#field)))
    });
    quote! {
        type Rereads = __O;
        type Rewrites = #arguments;

        fn encode_args(__arguments: &#arguments) -> __rt::EncodedArgs {
            use __rt::ladder::*;
            __rt::EncodedArgs::new(__rt::Vec::from([#(#written),*]))
        }

        fn invoke<'a>(
            &'a self,
            __cx: &'a __rt::ToolContext,
            __arguments: #arguments,
            __call: &'a __rt::TypedCall<'a>,
        ) -> impl ::core::future::Future<Output = __rt::ToolResult<__O>> + ::core::marker::Send + 'a {
            let __written = <Self as __rt::TypedTool>::encode_args(&__arguments);
            let __args = __call.encode(__DEFINITION.get(), __written);
            async move {
                let __returned: #output = __rt::through(&self.own, __cx, __call, __args?).await?;
                ::core::result::Result::Ok(__rt::Same::__same(__returned))
            }
        }

        fn encode(returned: __O, __call: &__rt::TypedCall<'_>) -> __rt::ToolResult {
            __rt::finish_typed({ #ladders }, __call, <#output as __rt::Same>::back(returned))
        }
    }
}

/// The traits that the arguments of a layered tool have if they can be written again.
fn encoding_checks(tool: &Expansion<'_>) -> TokenStream {
    let arguments = tool.arguments_name();
    let parameters: Vec<_> = (0..tool.model_params().count())
        .map(|nth| format_ident!("__A{nth}", span = Span::mixed_site()))
        .collect();
    let bounds = tool.model_params().zip(&parameters).enumerate().map(|(nth, ((_, param), parameter))| {
        let ty = &param.owned;
        let span = param.ty.span().resolved_at(Span::mixed_site());
        quote_spanned!(span=> #ty: __rt::Nth<#nth, As = #parameter>, #parameter: __rt::WrittenAgain)
    });
    quote! {
        impl<#(#parameters),*> __rt::ArgumentsWrittenAgain for #arguments
        where
            #(#bounds,)*
        {
        }
    }
}
