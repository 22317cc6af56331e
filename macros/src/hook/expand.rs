//! Writes the items beside the function of `#[tool_hook]`: the type of the same name and its `impl`s.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::HookPlace;
use super::ring::made_in_a_ring;
use super::typed;
use crate::item::type_ident;
use crate::middleware::{
    Call, Made, Middleware, config, is_direct, item, on_result, return_span, returned, returned_alias,
    send_future, services, values_alias,
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

/// `call` of the trait.
fn call(hook: &Middleware, body: &TokenStream) -> TokenStream {
    let send = send_future(hook, &quote!(__rt::ToolResult));
    quote! {
        fn call<'__a, '__b, __N: __rt::Next>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__b mut __rt::Args,
            __next: __N,
        ) -> #send {
            #body
        }
    }
}

fn direct_call(hook: &Middleware) -> TokenStream {
    let held = held(hook, &Call::new(hook).call);
    // A value that cannot be shared makes a future that cannot be sent: that is the same error.
    let held = if config(hook).count() == 0 {
        held
    } else {
        let known = values_alias(&hook.name);
        quote!({ let __future: <#known as __rt::Is>::Type<_> = #held; __future })
    };
    let call = call(hook, &held);
    quote!(#[inline] #call)
}

fn around_call(hook: &Middleware) -> TokenStream {
    let Call { inject, call: of_function } = Call::new(hook);
    let held = held(hook, &of_function);
    let body = quote_spanned!(return_span(hook)=> #inject #held.await);
    call(hook, &quote!(async move { #body }))
}

/// The future of the function, whose result has to be that of a call.
fn held(hook: &Middleware, call: &TokenStream) -> TokenStream {
    let returned = returned(hook);
    quote_spanned!(return_span(hook)=> <#returned as __rt::AroundReturn>::hold(#call))
}

fn before_call(hook: &Middleware) -> TokenStream {
    let Call { inject, call: of_function } = Call::awaited(hook);
    let returned = returned(hook);
    call(
        hook,
        &quote! {
            async move {
                #inject
                match <#returned as __rt::BeforeReturn>::into_result(#of_function)? {
                    ::core::option::Option::Some(__output) => ::core::result::Result::Ok(__output),
                    ::core::option::Option::None => __next.run(__args).await,
                }
            }
        },
    )
}

fn after_call(hook: &Middleware) -> TokenStream {
    let Call { inject, call: of_function } = Call::awaited(hook);
    let on_result = on_result(hook, &of_function, ["AfterTarget", "AfterOwned", "AfterReturn"]);
    call(
        hook,
        &quote! {
            async move {
                #inject
                let __result = __next.run(__args).await;
                #on_result
            }
        },
    )
}
