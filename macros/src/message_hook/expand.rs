//! Writes the items beside the function of `#[message_hook]`: the `impl` for the type of the same name.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::item::type_ident;
use crate::middleware::{
    CallArgs, Made, MessagePlace, Middleware, MiddlewareKind, awaited, call_args, item, made, returned,
    returned_alias, send_future, services,
};

/// The type beside the function.
pub(super) fn expand(hook: &Middleware) -> TokenStream {
    let MiddlewareKind::Message(place) = hook.kind else { return TokenStream::new() };
    let ty = type_ident(&hook.type_name);
    let (alias, Made { ty: made, item: made_by }) = (returned_alias(hook), made(hook, &ty));
    let services = services(hook);
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let call = awaited(hook, &quote!(#name(#(#pass),*)));
    let returned = returned(hook);
    let place_name = place.method();
    let method = format_ident!("{place_name}");
    let parts = place.parts().iter().enumerate().map(|(index, part)| {
        let variable = format_ident!("__part_{index}");
        if part.is_flag() {
            return quote!(#variable: ::core::primitive::bool);
        }
        let (ty, change) = (format_ident!("{}", part.ty), part.changes.then(|| quote!(mut)));
        quote!(#variable: &'__a #change __rt::#ty)
    });
    let (answer, returns, elsewhere) = match place {
        MessagePlace::BeforeSend => (quote!(__rt::Delivery), quote!(BeforeSendReturn), None),
        _ => (
            quote!(()),
            quote!(BeforeReplyReturn),
            Some(quote! {
                fn is_before_send(&self) -> ::core::primitive::bool {
                    false
                }
            }),
        ),
    };
    let future = send_future(hook, &quote!(::core::result::Result<#answer, __rt::BoxError>));
    let impls = quote! {
        #alias
        #made_by

        #[diagnostic::do_not_recommend]
        impl __rt::MessageHook for #ty {
            #made
            const PLACE: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::Some(#place_name);
            #services
            #elsewhere

            #[allow(unused_variables)]
            fn #method<'__a>(
                &'__a self,
                __cx: &'__a __rt::RunContext,
                #(#parts,)*
            ) -> #future + '__a {
                async move {
                    #(#inject)*
                    let __returned: #returned = #call;
                    <#returned as __rt::#returns>::settle(__returned)
                }
            }
        }
    };
    item(hook, &impls)
}
