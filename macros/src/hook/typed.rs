//! A typed hook: its tool's alias, the `impl`, and the readers of the tool's values.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use super::ring::made_in_a_ring;
use crate::middleware::{
    Call, Made, Middleware, is_direct, return_span, returned, returned_alias, services, tool_alias,
};

/// The tool of a typed hook under its alias.
pub(super) fn named_tool(hook: &Middleware, tool: &Path) -> TokenStream {
    let (rt, cfgs) = (hook.runtime.private(), &hook.cfgs);
    let (alias, last) = (tool_alias(&hook.name), tool.segments.last().map_or(tool.span(), Spanned::span));
    let open = quote_spanned!(tool.span()=> <);
    let is = quote_spanned!(last=> >::IS);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        type #alias = <#rt::Known<{ #open #tool as #rt::TypedTool #is }> as #rt::Is>::Type<#tool>;
    }
}

/// A tool with layers of its own exchanges JSON with the hook. This asks for the traits that JSON needs, and rustc reports
/// a missing one where the hook names the tool. A tool without layers has `()` as these types.
fn reading(hook: &Middleware, alias: &Ident) -> TokenStream {
    let last = hook.tool.as_ref().and_then(|tool| tool.segments.last());
    let at_tool = last.map_or_else(Span::call_site, Spanned::span);
    let mixed = at_tool.resolved_at(Span::mixed_site());
    let is_read = quote_spanned!(mixed=> <_ as __rt::ReadAgain>::is_read(&reading.asked););
    let is_written = quote_spanned! {at_tool=>
        let () = <<#alias as __rt::TypedTool>::Rewrites as __rt::ArgumentsWrittenAgain>::ARE;
    };
    let reader = quote_spanned! {Span::mixed_site()=>
        use __rt::ladder::*;
        let kind = __rt::Kind::<<#alias as __rt::TypedTool>::Rereads>::new();
        let split = (&&&&&kind).split_by();
        let reading = (&&&split.value).reading();
        #is_read
        #is_written
        split.reader(&kind, reading)
    };
    quote! {
        fn reading() -> __rt::Reading {
            #reader
        }
    }
}

/// The `impl`s of a typed hook.
pub(super) fn expand(hook: &Middleware, ty: &Ident) -> TokenStream {
    let tool = tool_alias(&hook.name);
    let Call { inject, call } = Call::new(hook);
    let Made { ty: made, item } = made_in_a_ring(hook, ty);
    let (alias, returned) = (returned_alias(hook), returned(hook));
    let (reading, services) = (reading(hook, &tool), services(hook));
    let span = return_span(hook);
    let output = quote_spanned!(span=> <#tool as __rt::TypedTool>::Output);
    let result = quote_spanned!(span=> __rt::ToolResult<#output>);
    let call = quote_spanned! {span=>
        <#returned as __rt::TypedReturn<#output>>::hold(#call)
    };
    let (future, body) = if is_direct(hook) {
        let future = quote_spanned! {span=>
            impl ::core::future::Future<Output = #result> + ::core::marker::Send
        };
        (quote!(fn), quote!(-> #future { #call }))
    } else {
        (quote!(async fn), quote!(-> #result { #inject #call.await }))
    };
    quote! {
        #alias
        #item

        #[diagnostic::do_not_recommend]
        impl __rt::Hook for #ty {
            #made
            #services

            fn call<'__a, '__b, __N: __rt::Next>(
                &'__a self,
                _: &'__a __rt::ToolContext,
                __args: &'__b mut __rt::Args,
                __next: __N,
            ) -> impl ::core::future::Future<Output = __rt::ToolResult> + ::core::marker::Send {
                __next.run(__args)
            }
        }

        #[diagnostic::do_not_recommend]
        impl __rt::TypedHook for #ty {
            type Tool = #tool;

            #reading

            #future call_typed<'__a, __N: __rt::TypedNext<#tool>>(
                &'__a self,
                __cx: &'__a __rt::ToolContext,
                __args: <#tool as __rt::TypedTool>::Args,
                __next: __N,
            ) #body
        }
    }
}
