//! Writes the items beside the function of `#[tool_hook]`: the type of the same name and its `impl`s.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::HookPlace;
use super::ring::made_in_a_ring;
use super::typed;
use crate::item::type_ident;
use crate::middleware::{
    CallArgs, Made, Middleware, awaited, call_args, config, is_direct, item, on_result, return_span,
    returned, returned_alias, send_future, services, values_alias,
};

pub(super) fn expand(hook: &Middleware, form: HookPlace) -> TokenStream {
    let ty = type_ident(&hook.type_name);
    let Some(tool) = &hook.tool else { return item(hook, &raw_impl(hook, form, &ty)) };
    let (tool, item) = (typed::named_tool(hook, tool), item(hook, &typed::expand(hook, &ty)));
    quote!(#tool #item)
}

fn raw_impl(hook: &Middleware, form: HookPlace, ty: &Ident) -> TokenStream {
    let call = match form {
        HookPlace::Around if is_direct(hook) => direct_call(hook),
        HookPlace::Around => around_call(hook),
        HookPlace::Before => before_call(hook),
        HookPlace::After => after_call(hook),
    };
    let (Made { ty: made, item }, returned) = (made_in_a_ring(hook, ty), returned_alias(hook));
    let services = services(hook);
    quote! {
        #returned
        #item

        #[diagnostic::do_not_recommend]
        impl __rt::Hook for #ty {
            #made
            const REPEATS: ::core::primitive::bool = {
                use __rt::RepeatsNothing as _;
                __rt::Repeats::<Self>::IS
            };
            #services
            #call
        }
    }
}

fn direct_call(hook: &Middleware) -> TokenStream {
    let name = &hook.name;
    let CallArgs { pass, .. } = call_args(hook);
    let returned = returned(hook);
    let call = quote_spanned!(return_span(hook)=> <#returned as __rt::AroundReturn>::hold(#name(#(#pass),*)));
    // A value that cannot be shared makes a future that cannot be sent: that is the same error.
    let call = if config(hook).count() == 0 {
        call
    } else {
        let known = values_alias(&hook.name);
        quote!({ let __future: <#known as __rt::Is>::Type<_> = #call; __future })
    };
    let send = send_future(hook, &quote!(__rt::ToolResult));
    quote! {
        #[inline]
        fn call<'__a, '__b, __N: __rt::Next>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__b mut __rt::Args,
            __next: __N,
        ) -> #send {
            #call
        }
    }
}

fn async_call(hook: &Middleware, body: &TokenStream) -> TokenStream {
    let send = send_future(hook, &quote!(__rt::ToolResult));
    quote! {
        fn call<'__a, '__b, __N: __rt::Next>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__b mut __rt::Args,
            __next: __N,
        ) -> #send {
            async move { #body }
        }
    }
}

fn around_call(hook: &Middleware) -> TokenStream {
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let returned = returned(hook);
    async_call(
        hook,
        &quote_spanned!(return_span(hook)=> #(#inject)* <#returned as __rt::AroundReturn>::hold(#name(#(#pass),*)).await),
    )
}

fn before_call(hook: &Middleware) -> TokenStream {
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let call = awaited(hook, &quote!(#name(#(#pass),*)));
    let returned = returned(hook);
    async_call(
        hook,
        &quote! {
            #(#inject)*
            match <#returned as __rt::BeforeReturn>::settle(#call)? {
                ::core::option::Option::Some(__output) => ::core::result::Result::Ok(__output),
                ::core::option::Option::None => __next.run(__args).await,
            }
        },
    )
}

fn after_call(hook: &Middleware) -> TokenStream {
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let call = awaited(hook, &quote!(#name(#(#pass),*)));
    let on_result = on_result(hook, &call, ["AfterTarget", "AfterOwned", "AfterReturn"]);
    async_call(
        hook,
        &quote! {
            #(#inject)*
            let __result = __next.run(__args).await;
            #on_result
        },
    )
}
