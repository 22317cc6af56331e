//! `#[toolbox]`: parse -> model -> check -> expand, for each method as `#[tool]` does it for a function.

mod check;
mod expand;
mod parse;

#[cfg(test)]
pub(crate) use parse::Options;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ImplItem;

use crate::diag::Errors;
use crate::item::{takes_type_arguments, with_no_generics};

/// Expands the attribute. The block is always given back, our attributes and its parameters' docs taken off,
/// whatever is wrong.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut block) = syn::parse2::<syn::ItemImpl>(item.clone()) else {
        // rustc reports an item that does not parse. We report an item that is not an `impl` block.
        return check::not_a_block(&item).unwrap_or(item);
    };
    let mut errors = Errors::default();
    let options = parse::Options::parse(options, &mut errors);
    check::block(&block, &mut errors);
    let takes_type_arguments =
        |item: &ImplItem| matches!(item, ImplItem::Fn(method) if takes_type_arguments(&method.sig));
    let has_none = block.generics.params.is_empty() && block.items.iter().any(takes_type_arguments);
    let mut others = TokenStream::new();
    let members = parse::members(&mut block, &options, &mut others, &mut errors);
    check::members(&members, &block, &mut errors);
    // The trait is implemented whatever is wrong, so that `agent!` reports neither it nor a method missing as well.
    let generated = expand::expand(&block, &options, &members, errors.is_empty());
    let block = if has_none { with_no_generics(&block, "impl") } else { quote!(#block) };
    let errors = errors.into_tokens();
    quote!(#block #generated #others #errors)
}
