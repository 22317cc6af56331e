//! What typed hooks need of a tool: its arguments as a struct, reading, running and writing apart.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Type, parse_quote};

use super::expand::{Expansion, local};
use super::read::ladders;

/// `impl TypedTool`, for tools whose arguments and result can be owned.
pub(super) fn expand(tool: &Expansion<'_>) -> TokenStream {
    if !tool.model.is_typed() {
        return TokenStream::new();
    }
    let type_name = tool.type_name;
    let (arguments, definition) = (tool.arguments_name(), tool.arguments());
    let fields: Vec<_> = tool.model_params().map(|(_, param)| &param.ident).collect();
    let values: Vec<_> = tool.model_params().map(|(at, _)| local(at)).collect();
    let owned = tool.model_params().map(|(at, param)| param.to_owned(&local(at)));
    let output: Type = tool.model.returned.clone().unwrap_or_else(|| parse_quote!(()));
    let span = tool.model.returned.as_ref().map_or_else(Span::mixed_site, Spanned::span);
    let same = quote_spanned!(span.resolved_at(Span::mixed_site())=> #output: __rt::Same<As = __O>);
    let (prepared, fields_of_state, call) = (tool.prepared(), tool.fields(), tool.called(true));
    let ladders = ladders(&output);
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

            fn decode(&self, __args: &mut __rt::Args) -> ::core::result::Result<#arguments, __rt::Exit> {
                let (#(#values,)*) = __read(__args)?;
                ::core::result::Result::Ok(#arguments { #(#fields: #owned,)* })
            }

            async fn invoke<'a>(
                &'a self,
                __cx: &'a __rt::ToolContext,
                __args: #arguments,
            ) -> __rt::ToolResult<__O> {
                #object
                let #arguments { #(#fields: #values,)* } = __args;
                #run
            }

            fn encode(returned: __O) -> __rt::ToolResult {
                __encode(<#output as __rt::Same>::back(returned))
            }

            fn aborted<'v>(returned: &'v __O) -> ::core::option::Option<&'v __rt::Abort> {
                __rt::aborted({ #ladders }, <#output as __rt::Same>::seen(returned))
            }
        }
    }
}
