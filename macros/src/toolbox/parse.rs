//! The options of `#[toolbox(..)]`, and the methods that are tools.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Expr, ImplItem, ItemImpl, Meta, Path, Type, parse_quote_spanned};

use crate::diag::Errors;
use crate::item::FnItem;
use crate::keys::keys;
use crate::option::{Table, WrittenOption};
use crate::tool::{self, Member};

keys! {
    /// The options of `#[toolbox(..)]`.
    pub(super) struct Options from option: WrittenOption<'_> {
        /// `instructions = ".."` | goes into the system prompt of agents that have the toolbox
        "instructions" => instructions: Option<Expr> = Some(option.words("instructions = \"Search before you answer.\"")?);
        /// `part = Admin` | makes a type of this name for the block, which another block of the toolbox names in `parts`
        "part" => part: Option<Ident> = Some(option.name("part = Admin")?);
        /// `parts = [Admin]` | adds the tools of these blocks to those of this one
        "parts" => parts: Vec<Path> = parts(option)?;
        /// `crate = path` | where this crate is, if the dependency is renamed or is `onionskin-core`
        "crate" => crate_path: Option<Path> = Some(option.path("crate = my_crate::onionskin")?);
    }
}

const TABLE: Table<Options> = Table {
    texts: &["instructions"],
    elsewhere: &[(
        "state",
        "a toolbox has no state: its object is the instance; a method that takes a part of the agent's state says whose it \
         is, `#[tool(state = Ledger)]`",
    )],
    ..Table::new("option", Options::KEYS)
};

impl Options {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        TABLE.read(&mut options, tokens, errors);
        if let (Some(part), false) =
            (&options.part, options.parts.is_empty() && options.instructions.is_none())
        {
            errors.at(part, "the main block takes a part in: `parts` and `instructions` belong there");
        }
        options
    }
}

fn parts(option: &mut WrittenOption<'_>) -> syn::Result<Vec<Path>> {
    let mut parts: Vec<Path> = Vec::new();
    let words = |part: &Path| part.to_token_stream().to_string();
    for part in option.list("parts = [Admin]")? {
        match part {
            Expr::Path(part) if parts.iter().any(|other| words(other) == words(&part.path)) => {
                option.errors.at(part, "this part is here twice; keep one of them");
            }
            Expr::Path(part) => parts.push(part.path),
            other => option.errors.at(other, "write the part's name: `parts = [Admin]`"),
        }
    }
    Ok(parts)
}

/// The methods that are tools, with what they become; our attributes are taken off.
pub(super) fn members(
    block: &mut ItemImpl,
    options: &Options,
    errors: &mut Errors,
) -> Vec<(Ident, Option<Member>)> {
    let self_ty: Type = parse_quote_spanned!(Span::mixed_site()=> __Self);
    let mut members = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(at) = method.attrs.iter().position(is_tool) else { continue };
        let attr = method.attrs.remove(at);
        let given = match &attr.meta {
            Meta::Path(_) => TokenStream::new(),
            Meta::List(list) => outside(list.tokens.clone()),
            Meta::NameValue(meta) => {
                errors.at(meta, "write `#[tool]` or `#[tool(name = \"..\")]`");
                TokenStream::new()
            }
        };
        let Ok(mut function) = syn::parse2::<FnItem>(method.to_token_stream()) else { continue };
        let member = tool::member(given, &mut function, &self_ty, options.crate_path.as_ref(), errors);
        members.push((method.sig.ident.clone(), member));
        *item = ImplItem::Verbatim(function.to_token_stream());
    }
    members
}

/// The options of a method for use outside of the block, which has no `Self`.
fn outside(tokens: TokenStream) -> TokenStream {
    let tokens = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => Ident::new("__Self", ident.span()).into(),
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), outside(group.stream()));
            inside.set_span(group.span());
            inside.into()
        }
        other => other,
    });
    tokens.collect()
}

/// `#[tool]`, by whatever path.
fn is_tool(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "tool")
}

#[cfg(test)]
mod tests {
    #[test]
    fn t9_the_documentation_lists_each_option_as_the_table_has_it() {
        crate::keys::assert_documented("toolbox.md", "# Options", super::Options::KEYS);
        crate::keys::assert_shown("toolbox", super::Options::KEYS);
    }
}
