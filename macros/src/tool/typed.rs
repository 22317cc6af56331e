//! What typed hooks need of a tool: its arguments as a struct, reading, running and writing apart.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::expand::{Expansion, local};

/// `impl TypedTool`, for tools whose arguments and result can be owned.
pub(super) fn expand(tool: &Expansion<'_>) -> TokenStream {
    if !tool.model.is_typed() {
        return TokenStream::new();
    }
    let type_name = tool.type_name;
    let arguments = format_ident!("ArgsOf_{}", type_name.unraw());
    let words = format!("The arguments of `{}`.", tool.model.tool_name);
    let fields: Vec<_> = tool.model_params().map(|(_, param)| &param.ident).collect();
    let types = tool.model_params().map(|(_, param)| &param.owned);
    let docs = tool.model_params().map(|(_, param)| &param.description);
    let values: Vec<_> = tool.model_params().map(|(at, _)| local(at)).collect();
    let owned = tool.model_params().map(|(at, param)| param.to_owned(&local(at)));
    let output = tool.model.returned.as_ref().map_or_else(|| quote!(()), |returned| quote!(#returned));
    let (inject, skipped, call) = (tool.injection(), tool.skipped(), tool.call(true));
    let run = quote! {
        #inject
        #skipped
        ::core::result::Result::Ok(#call)
    };
    let run = if tool.model.options.blocking.is_some() {
        quote! {
            let context = cx.to_owned_context();
            __rt::offload(cx, move || {
                let cx = &context;
                #run
            })
            .await
        }
    } else {
        run
    };
    quote! {
        #[doc = #words]
        pub struct #arguments {
            #(#[doc = #docs] pub #fields: #types,)*
        }
        impl __rt::TypedTool for #type_name {
            type Args = #arguments;
            type Output = #output;

            fn decode(&self, args: &mut __rt::Args) -> ::core::result::Result<#arguments, __rt::Exit> {
                let (#(#values,)*) = __read(args)?;
                ::core::result::Result::Ok(#arguments { #(#fields: #owned,)* })
            }

            async fn invoke<'a>(
                &'a self,
                cx: &'a __rt::ToolContext,
                args: #arguments,
            ) -> __rt::ToolResult<#output> {
                let #arguments { #(#fields: #values,)* } = args;
                #run
            }

            fn encode(returned: #output) -> __rt::ToolResult {
                __encode(returned)
            }
        }
    }
}
