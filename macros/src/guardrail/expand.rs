//! Writes the items beside the function of `#[guardrail]`: the `impl` for the type of the same name.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Type;

use crate::item::type_ident;
use crate::middleware::{
    CallArgs, Made, Middleware, MiddlewareKind, Role, awaited, call_args, item, made, returned,
    returned_alias, send_future, services,
};

/// The type beside the function.
pub(super) fn expand(guardrail: &Middleware) -> TokenStream {
    let ty = type_ident(&guardrail.type_name);
    item(guardrail, &check_impl(guardrail, &ty))
}

/// `impl InputGuardrail` or `impl OutputGuardrail`.
fn check_impl(guardrail: &Middleware, ty: &Ident) -> TokenStream {
    let (alias, Made { ty: made, item }) = (returned_alias(guardrail), made(guardrail, ty));
    let services = services(guardrail);
    let (name, call) = match guardrail.kind {
        MiddlewareKind::Output => (quote!(OutputGuardrail), output_check(guardrail)),
        _ => (quote!(InputGuardrail), input_check(guardrail)),
    };
    quote! {
        #alias
        #item

        #[diagnostic::do_not_recommend]
        impl __rt::#name for #ty {
            #made
            #services
            #call
        }
    }
}

fn input_check(guardrail: &Middleware) -> TokenStream {
    let name = &guardrail.name;
    let CallArgs { inject, pass } = call_args(guardrail);
    let call = awaited(guardrail, &quote!(#name(#(#pass),*)));
    let returned = returned(guardrail);
    let future = send_future(guardrail, &quote!(__rt::ToolResult<()>));
    quote! {
        fn check<'__a>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__a mut __rt::Args,
        ) -> #future + '__a {
            async move {
                #(#inject)*
                let __returned: #returned = #call;
                <#returned as __rt::InputReturn>::settle(__returned, __args)
            }
        }
    }
}

fn output_check(guardrail: &Middleware) -> TokenStream {
    let name = &guardrail.name;
    let CallArgs { inject, pass } = call_args(guardrail);
    let call = awaited(guardrail, &quote!(#name(#(#pass),*)));
    let outcome = guardrail.parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome));
    let Some(outcome) = outcome.map(|parameter| &parameter.ty) else { return TokenStream::new() };
    let (target, by_value) = match outcome {
        Type::Reference(reference) => (&*reference.elem, false),
        ty => (ty, true),
    };
    let returned = returned(guardrail);
    let give = if by_value {
        quote!(<#returned as __rt::OutputGiven>::give(__returned))
    } else {
        quote! {
            <#returned as __rt::OutputReturn>::replace(__returned, <#target as __rt::GuardedOutput>::put(__value))
        }
    };
    let future = send_future(guardrail, &quote!(__rt::ToolResult));
    quote! {
        fn check<'__a>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__a __rt::Args,
            __result: __rt::ToolResult,
        ) -> #future + '__a {
            async move {
                #(#inject)*
                #[allow(unused_mut)]
                let mut __value = match <#target as __rt::GuardedOutput>::take(__result) {
                    ::core::result::Result::Ok(__value) => __value,
                    ::core::result::Result::Err(__result) => return __result,
                };
                let __returned: #returned = #call;
                #give
            }
        }
    }
}
