//! Writes the items beside the function of `#[guardrail]`: the `impl` for the type of the same name.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::item::type_ident;
use crate::middleware::{
    Call, Made, Middleware, MiddlewareKind, item, made, on_result, returned, returned_alias, send_future,
    services,
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
        MiddlewareKind::Input | MiddlewareKind::Hook | MiddlewareKind::At(_) => {
            (quote!(InputGuardrail), input_check(guardrail))
        }
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
    let Call { inject, call } = Call::awaited(guardrail);
    let returned = returned(guardrail);
    let future = send_future(guardrail, &quote!(__rt::ToolResult<()>));
    quote! {
        fn check<'__a>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__a mut __rt::Args,
        ) -> #future + '__a {
            async move {
                #inject
                let __returned: #returned = #call;
                if let ::core::option::Option::Some(__new) = <#returned as __rt::InputReturn>::into_result(__returned)? {
                    *__args = __new;
                }
                ::core::result::Result::Ok(())
            }
        }
    }
}

fn output_check(guardrail: &Middleware) -> TokenStream {
    let Call { inject, call } = Call::awaited(guardrail);
    let on_result = on_result(guardrail, &call, ["GuardedOutput", "OutputGiven", "OutputReturn"]);
    let future = send_future(guardrail, &quote!(__rt::ToolResult));
    quote! {
        fn check<'__a>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__a __rt::Args,
            __result: __rt::ToolResult,
        ) -> #future + '__a {
            async move {
                #inject
                #on_result
            }
        }
    }
}
