//! The expansion that attributes of functions have in common.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::item::tool_alias;
use super::model::Middleware;
use super::options::{Attribute, MiddlewareKind, Options};
use super::parameter::Parameter;
use crate::diag::Errors;
use crate::item::{FnItem, not_a_function, take_other_mark};
use crate::paths::Runtime;

/// Expands an attribute of an item. The function is always given back, its own attributes taken off, whatever is wrong. What `check`
/// finds is for `expand`.
pub(crate) fn expand_attribute<P: Copy + Into<MiddlewareKind>, C>(
    attribute: &Attribute<P>,
    options: TokenStream,
    item: TokenStream,
    check: impl FnOnce(&FnItem, &[Parameter], &Options, Option<(P, Span)>, &mut Errors) -> Option<C>,
    expand: impl FnOnce(&Middleware, C) -> TokenStream,
) -> TokenStream {
    let Ok(mut function) = syn::parse2::<FnItem>(item.clone()) else {
        // rustc reports an item that does not parse. We report an item that is not a function.
        let mut by_hand: Vec<_> = attribute.kinds().map(MiddlewareKind::by_hand).collect();
        by_hand.dedup();
        return not_a_function(&item, attribute.kind().attribute(), &by_hand.join(" or ")).unwrap_or(item);
    };
    let mut errors = Errors::default();
    let (options, place) = attribute.read(options, &mut errors);
    let are_options_wrong = !errors.is_empty();
    if !function.has_body() {
        let error = function.declared_method(&options.kind.method());
        return quote!(#function #error);
    }
    let other = take_other_mark(&mut function, options.kind.attribute(), &mut errors);
    // What the function takes depends on its options.
    if are_options_wrong {
        errors.close();
    }
    let check = |function: &FnItem, parameters: &[Parameter], options: &Options, errors: &mut Errors| {
        check(function, parameters, options, place, errors)
    };
    let type_name = Some(options.type_name.clone().unwrap_or_else(|| function.sig.ident.clone()));
    let runtime = Runtime::new(options.crate_path.clone());
    let read = Middleware::read(&mut function, options, check, &mut errors);
    if let Some((mut middleware, checked)) = read
        && errors.is_empty()
    {
        let tool = tool_alias(&middleware.name);
        middleware.rename_tool(&mut function.sig, &tool);
        let generated = expand(&middleware, checked);
        return quote!(#function #generated);
    }
    // rustc would report what only the generated code uses.
    function.attrs.push(syn::parse_quote!(#[allow(unused)]));
    let wrong = function.in_error(type_name.as_ref(), &runtime, errors);
    quote!(#wrong #other)
}
