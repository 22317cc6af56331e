//! `#[guardrail]`: a function that looks at a tool's arguments or at its output. `middleware` reads
//! it as it reads a hook; what differs is here.

mod check;
mod expand;
mod options;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diag::Errors;
use crate::item::{FnItem, is_marked_twice};
use crate::middleware::{Middleware, stand_in};

/// Expands the attribute. The function is always given back, its own attributes taken off, whatever is wrong.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<FnItem>(item.clone()) else {
        // rustc reports an item that does not parse. We report an item that is not a function.
        return check::not_a_function(&item).unwrap_or(item);
    };
    let mut errors = Errors::default();
    let options = options::parse(options, &mut errors);
    if !function.has_body() {
        let error = function.declared_method(options.kind.method());
        return quote!(#function #error);
    }
    if is_marked_twice(&function, "guardrail", &mut errors) {
        // The other attribute still does its work.
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    }
    let guardrail = Middleware::read(&mut function, options, check::check, &mut errors);
    if let Some((guardrail, ())) = guardrail
        && errors.is_empty()
    {
        let generated = expand::expand(&guardrail);
        return quote!(#function #generated);
    }
    // The type is written all the same, so that a tool does not report it as missing.
    // Beside a method it cannot: an `impl` holds no types.
    let stand_in = function.sig.receiver().is_none().then(|| stand_in(&function));
    let errors = errors.into_tokens();
    // Without the generated code, rustc would warn about an unused function.
    quote!(#[allow(unused)] #function #stand_in #errors)
}
