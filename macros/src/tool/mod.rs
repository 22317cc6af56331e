//! `#[tool]`: parse -> model -> check -> expand.

mod arg;
mod attr;
mod check;
mod docs;
mod expand;
mod function;
mod model;
mod param;
mod read;
mod run;
mod source;
mod table;
mod typed;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diag::Errors;
use crate::item::FnItem;

/// Expands the attribute. The function is always given back, our attributes and its parameters' docs taken off,
/// whatever is wrong.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<FnItem>(item.clone()) else {
        // Where it does not parse, rustc says so itself, unless it is no function at all.
        return check::not_a_function(&item).unwrap_or(item);
    };
    if !function.has_body() {
        return item;
    }
    let mut errors = Errors::default();
    if check::stands_twice(&function, &mut errors) {
        // The other attribute still does its work.
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    }
    let options = attr::Options::parse(options, &mut errors);
    let mut model = model::Model::read(&mut function, options, &mut errors);
    if errors.is_empty() {
        model.code = source::text(&item);
        let generated = expand::expand(&model);
        return quote!(#function #generated);
    }
    // The type stands all the same, so that `agent!` does not report it missing as well.
    let stand_in = expand::stand_in(&function, &model);
    let errors = errors.into_tokens();
    quote!(#function #stand_in #errors)
}

#[cfg(test)]
mod tests;
