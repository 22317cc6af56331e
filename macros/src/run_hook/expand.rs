//! Writes the items beside the function of `#[run_hook]`: the `impl` for the type of the same name.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::item::type_ident;
use crate::middleware::{
    CallArgs, Made, Middleware, MiddlewareKind, awaited, call_args, item, made, returned, returned_alias,
    send_future, services,
};

/// The type beside the function.
pub(super) fn expand(hook: &Middleware, ignores_errors: bool) -> TokenStream {
    let ty = type_ident(&hook.type_name);
    let (alias, Made { ty: made, item: made_by }) = (returned_alias(hook), made(hook, &ty));
    let services = services(hook);
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let call = awaited(hook, &quote!(#name(#(#pass),*)));
    let returned = returned(hook);
    let [method, text, returns] = match hook.kind {
        MiddlewareKind::AfterRun => ["after_run", "RunAnswer", "AfterRunReturn"],
        _ => ["before_run", "RunInput", "BeforeRunReturn"],
    };
    let [method, text, returns] = [method, text, returns].map(|word| format_ident!("{word}"));
    let future = send_future(hook, &quote!(::core::result::Result<(), __rt::BoxError>));
    let ignores = ignores_errors.then(|| {
        quote!(
            const IGNORE_ERRORS: ::core::primitive::bool = true;
        )
    });
    let impls = quote! {
        #alias
        #made_by

        #[diagnostic::do_not_recommend]
        impl __rt::RunHook for #ty {
            #made
            #ignores
            #services

            fn #method<'__a>(
                &'__a self,
                __cx: &'__a __rt::RunContext,
                __text: &'__a mut __rt::#text,
            ) -> #future + '__a {
                async move {
                    #(#inject)*
                    let __returned: #returned = #call;
                    <#returned as __rt::#returns>::settle(__returned, __text)
                }
            }
        }
    };
    item(hook, &impls)
}
