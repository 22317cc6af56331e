//! Checks of a toolbox's block. Each reports its error at the wrong token.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Item, ItemImpl};

use crate::diag::Errors;
use crate::tool::Member;

/// The item, with an error that it is not an `impl` block.
pub(super) fn not_a_block(item: &TokenStream) -> Option<TokenStream> {
    let parsed = syn::parse2::<Item>(item.clone()).ok()?;
    let message = match parsed {
        Item::Fn(_) => "write `#[tool]` on a function; `#[toolbox]` belongs on an `impl` block with methods",
        Item::Struct(_) | Item::Enum(_) => {
            "write `#[toolbox]` on an `impl` block of the type, and `#[tool]` on the methods that are tools"
        }
        _ => "`#[toolbox]` belongs on an `impl` block",
    };
    let error = syn::Error::new_spanned(item, message).into_compile_error();
    Some(quote!(#item #error))
}

pub(super) fn block(block: &ItemImpl, errors: &mut Errors) {
    if let Some((path, _)) = &block.trait_ {
        errors.at(
            path,
            "a toolbox is made of the type's own methods: write an `impl` block without a trait, whose methods call \
             the trait's",
        );
    }
    if let Some(generic) = block.generics.params.first() {
        errors.at(
            generic,
            "`#[toolbox]` takes a block of a concrete type: write one for each, `impl Shelf<Memory>`, or implement \
             `Toolbox` by hand for all of them",
        );
    }
}

pub(super) fn members(members: &[(Ident, Option<Member>)], block: &ItemImpl, errors: &mut Errors) {
    if members.is_empty() && errors.is_empty() {
        errors.at(&block.self_ty, "no method has `#[tool]`: write it on the methods that are tools");
    }
    let known: Vec<_> = members.iter().filter_map(|(at, member)| Some((at, member.as_ref()?))).collect();
    for (index, (at, member)) in known.iter().enumerate() {
        let same = |(_, other): &&(&Ident, &Member)| other.tool_name == member.tool_name;
        if member.cfgs.is_empty()
            && known[..index].iter().any(|other| same(&other) && other.1.cfgs.is_empty())
        {
            errors.at(
                at,
                format_args!(
                    "two tools of this toolbox are called `{}`: give one another name with `#[tool(name = \"..\")]`",
                    member.tool_name
                ),
            );
        }
    }
}
