//! The options of `#[toolbox(..)]`, and the methods that are tools.

use darling::FromMeta;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ImplItem, ItemImpl, Meta, Path, Type, parse_quote_spanned};

use crate::diag::Errors;
use crate::item::FnItem;
use crate::keys::options;
use crate::option::{Table, each, error_at, read};
use crate::tool::{self, Member};

options! {
    /// The options of `#[toolbox(..)]`.
    #[derive(Default, FromMeta)]
    pub(crate) struct Options {
        instructions: Option<Expr> = read::words,
        part: Option<Ident> = read::name,
        parts: Vec<Path> = self::parts,
        crate_path as "crate": Option<Path> = read::path,
    }
}

const TABLE: Table<'_> = Table {
    elsewhere: &[(
        "state",
        "`state` is not an option of `#[toolbox]`: the toolbox is `self`; on a method that binds the agent's state, write `#[tool(state = Ledger)]`",
    )],
    ..Table::new("option", onionskin_vocabulary::options::toolbox())
};

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let options: Self = TABLE.read(tokens, errors);
        if let (Some(part), false) =
            (&options.part, options.parts.is_empty() && options.instructions.is_none())
        {
            errors.at(part, "the main block takes a part in: `parts` and `instructions` belong there");
        }
        options
    }
}

fn parts(meta: &Meta) -> darling::Result<Vec<Path>> {
    let mut words = Vec::new();
    each(read::list(meta)?, |part| match part {
        Expr::Path(part) if words.contains(&part.to_token_stream().to_string()) => {
            Err(error_at(part, "this part is here twice; keep one of them"))
        }
        Expr::Path(part) => {
            words.push(part.to_token_stream().to_string());
            Ok(part.path)
        }
        other => Err(error_at(other, "write the part's name: `parts = [Admin]`")),
    })
}

/// The methods that are tools, with what they become; our attributes are taken off. `others` gets a use of each wrong attribute's name.
pub(super) fn members(
    block: &mut ItemImpl,
    options: &Options,
    others: &mut TokenStream,
    errors: &mut Errors,
) -> Vec<(Ident, Option<Member>)> {
    let self_ty: Type = parse_quote_spanned!(Span::mixed_site()=> __Self);
    let mut members = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Verbatim(declared) = item {
            without_body(declared, errors);
        }
        let ImplItem::Fn(method) = item else { continue };
        let Some(at) = method.attrs.iter().position(is_tool) else { continue };
        let attr = method.attrs.remove(at);
        let is_ui = is_named(&attr, "ui_tool");
        let given = match &attr.meta {
            Meta::Path(_) => TokenStream::new(),
            Meta::List(list) => outside(list.tokens.clone()),
            Meta::NameValue(meta) => {
                errors.at(meta, "write `#[tool]` or `#[tool(name = \"..\")]`");
                TokenStream::new()
            }
        };
        let Ok(mut function) = syn::parse2::<FnItem>(method.to_token_stream()) else { continue };
        let self_ty = &self_ty;
        let member =
            tool::member(given, is_ui, &mut function, self_ty, options.crate_path.as_ref(), others, errors);
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

/// Gives an `external` method that has no body one, and reports it. rustc reports any other method without a body.
fn without_body(declared: &mut TokenStream, errors: &mut Errors) {
    let Ok(mut method) = syn::parse2::<FnItem>(declared.clone()) else { return };
    let Some(at) = method.attrs.iter().position(is_tool) else { return };
    let external = match &method.attrs[at].meta {
        Meta::List(list) => list
            .tokens
            .clone()
            .into_iter()
            .find(|token| matches!(token, TokenTree::Ident(word) if word == "external")),
        _ => None,
    };
    let Some(external) = external else { return };
    errors.at(external, tool::EXTERNAL_METHOD);
    method.attrs.remove(at);
    method.set_body(quote!({ ::core::unreachable!() }));
    *declared = method.to_token_stream();
}

/// `#[tool]` or `#[ui_tool]`, by whatever path.
fn is_tool(attr: &Attribute) -> bool {
    is_named(attr, "tool") || is_named(attr, "ui_tool")
}

fn is_named(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == name)
}
