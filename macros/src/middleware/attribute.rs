//! The expansion that attributes of functions have in common.

use proc_macro2::TokenStream;
use quote::quote;

use super::item::stand_in;
use super::model::Middleware;
use super::options::Options;
use super::parameter::Parameter;
use crate::diag::Errors;
use crate::item::{FnItem, not_a_function, take_other_mark};

/// An attribute, such as `turn_hook`, and how its trait is implemented by hand: `` `impl onionskin::turn_hooks::TurnHook for ..` ``.
pub(crate) struct Named {
    pub(crate) attribute: &'static str,
    pub(crate) by_hand: &'static str,
}

/// Expands an attribute of an item. The function is always given back, its own attributes taken off, whatever is wrong. What `parse`
/// reads beside the options in common is for `expand`.
pub(crate) fn expand_attribute<F>(
    named: &Named,
    item: TokenStream,
    parse: impl FnOnce(&mut Errors) -> (Options, F),
    check: impl FnOnce(&FnItem, &[Parameter], &Options, &mut Errors) -> Option<()>,
    expand: impl FnOnce(&Middleware, F) -> TokenStream,
) -> TokenStream {
    let Ok(mut function) = syn::parse2::<FnItem>(item.clone()) else {
        // rustc reports an item that does not parse. We report an item that is not a function.
        return not_a_function(&item, named.attribute, named.by_hand).unwrap_or(item);
    };
    let mut errors = Errors::default();
    let (options, rest) = parse(&mut errors);
    let are_options_wrong = !errors.is_empty();
    if !function.has_body() {
        let error = function.declared_method(options.kind.method());
        return quote!(#function #error);
    }
    let other = take_other_mark(&mut function, named.attribute, &mut errors);
    // What the function takes depends on its options.
    if are_options_wrong {
        errors.close();
    }
    let read = Middleware::read(&mut function, options, check, &mut errors);
    if let Some((middleware, ())) = read
        && errors.is_empty()
    {
        let generated = expand(&middleware, rest);
        return quote!(#function #generated);
    }
    // The type is written all the same, so that what names it does not report it as missing.
    // Beside a method it cannot: an `impl` holds no types.
    let stand_in = function.sig.receiver().is_none().then(|| stand_in(&function));
    let errors = errors.into_tokens();
    // Without the generated code, rustc would warn about an unused function.
    quote!(#[allow(unused)] #function #stand_in #other #errors)
}
