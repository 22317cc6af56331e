//! Writes the items with which lists make a hook, and its place in the ring of typed hooks.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::middleware::{Made, Middleware, made};

/// Writes the items with which lists make the hook, and its place in the ring of typed hooks.
pub(super) fn made_in_a_ring(hook: &Middleware, ty: &Ident) -> Made {
    let mut made = made(hook, ty);
    // A hook that is made by default takes no place.
    if !made.item.is_empty() {
        made.item.extend(ring(hook, ty));
    }
    made
}

fn ring(hook: &Middleware, ty: &Ident) -> TokenStream {
    let ring = if hook.tool.is_some() {
        quote! {
            type Ring<__R: __rt::Ring> = __rt::TypedLayer<#ty, __R>;

            fn ring<__R: __rt::Ring>(__hook: &__rt::Arc<#ty>, __rest: __R) -> Self::Ring<__R> {
                __rt::TypedLayer::new(__rt::Arc::clone(__hook), __rest)
            }
        }
    } else {
        quote! {
            type Ring<__R: __rt::Ring> = __R;

            fn ring<__R: __rt::Ring>(_: &__rt::Arc<#ty>, __rest: __R) -> __R {
                __rest
            }
        }
    };
    quote! {
        #[diagnostic::do_not_recommend]
        impl __rt::HookMadeBy<#ty> for #ty {
            #ring
        }
    }
}
