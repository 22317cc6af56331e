//! Writes the items beside the function of a hook at a place in a run: the `impl` for the type of the same name.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::item::type_ident;
use crate::middleware::place::{Answer, Family, Place};
use crate::middleware::{
    Call, Made, Middleware, item, made, returned, returned_alias, send_future, services,
};

/// The type beside the function.
pub(super) fn expand(hook: &Middleware, place: Place, ignores_errors: bool) -> TokenStream {
    let Place { family, method: name_of_place, parts, returns, answer, .. } = place;
    let ty = type_ident(&hook.type_name);
    let (alias, Made { ty: made, item: made_by }) = (returned_alias(hook), made(hook, &ty));
    let services = services(hook);
    let Call { inject, call } = Call::awaited(hook);
    let returned = returned(hook);
    let [trait_name, method, returns] =
        [family.trait_name(), name_of_place, returns].map(|word| format_ident!("{word}"));
    let parts = parts.iter().enumerate().map(|(index, part)| {
        let variable = format_ident!("__part_{index}");
        if part.is_flag() {
            return quote!(#variable: ::core::primitive::bool);
        }
        let (ty, change) = (format_ident!("{}", part.ty), part.changes.then(|| quote!(mut)));
        quote!(#variable: &'__a #change __rt::#ty)
    });
    let settled = quote!(<#returned as __rt::#returns>::into_result(__returned));
    let (settled, constants) = match family {
        Family::BeforeRun | Family::AfterRun => {
            let ignores = quote!(
                const IGNORE_ERRORS: ::core::primitive::bool = true;
            );
            let settled = quote! {
                if let ::core::option::Option::Some(__text) = #settled? {
                    __part_0.set_text(__text);
                }
                ::core::result::Result::Ok(())
            };
            (settled, ignores_errors.then_some(ignores))
        }
        Family::Turn | Family::Message => {
            let place = quote! {
                const PLACE: ::core::option::Option<&'static ::core::primitive::str> =
                    ::core::option::Option::Some(#name_of_place);
            };
            (settled, Some(place))
        }
    };
    let name_of = |ty: &str| format_ident!("{ty}");
    let answer = match answer {
        Answer::Nothing => quote!(()),
        Answer::Optional(ty) => {
            let ty = name_of(ty);
            quote!(::core::option::Option<__rt::#ty>)
        }
        Answer::Always(ty) => {
            let ty = name_of(ty);
            quote!(__rt::#ty)
        }
    };
    let elsewhere = (family == Family::Message && place.answer == Answer::Nothing).then(|| {
        quote! {
            fn is_before_send(&self) -> ::core::primitive::bool {
                false
            }
        }
    });
    let future = send_future(hook, &quote!(::core::result::Result<#answer, __rt::BoxError>));
    let impls = quote! {
        #alias
        #made_by

        #[diagnostic::do_not_recommend]
        impl __rt::#trait_name for #ty {
            #made
            #constants
            #services
            #elsewhere

            #[allow(unused_variables)]
            fn #method<'__a>(
                &'__a self,
                __cx: &'__a __rt::RunContext,
                #(#parts,)*
            ) -> #future + '__a {
                async move {
                    #inject
                    let __returned: #returned = #call;
                    #settled
                }
            }
        }
    };
    item(hook, &impls)
}
