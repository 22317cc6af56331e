//! The options of `#[toolbox(..)]`, and the methods that are tools.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ImplItem, ItemImpl, Meta, Path, Token, Type, parse_quote_spanned};

use crate::diag::Errors;
use crate::item::FnItem;
use crate::option::{each_option, unquoted_texts};
use crate::suggest;
use crate::tool::{self, Member};

#[derive(Default)]
pub(super) struct Options {
    /// Text for the system prompt.
    pub(super) instructions: Option<Expr>,
    /// The name of a block whose tools another block of the type takes in: a type of that name is made.
    pub(super) part: Option<Ident>,
    /// The blocks that this one takes in.
    pub(super) parts: Vec<Path>,
    pub(super) crate_path: Option<Path>,
}

const KEYS: &[&str] = &["instructions", "part", "parts", "crate"];

impl Options {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let tokens = unquoted_texts(tokens, &["instructions"], errors);
        let parsed = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens);
        each_option(parsed, errors, |key, meta, errors| options.read(key, meta, errors));
        if let (Some(part), false) =
            (&options.part, options.parts.is_empty() && options.instructions.is_none())
        {
            errors.at(part, "a part is taken in by the main block: `parts` and `instructions` stand there");
        }
        options
    }

    fn read(&mut self, key: &str, meta: &Meta, errors: &mut Errors) {
        let value = |errors: &mut Errors, example: &str| match meta {
            Meta::NameValue(meta) => Some(meta.value.clone()),
            _ => {
                errors.at(meta, format_args!("write `{example}`"));
                None
            }
        };
        match key {
            "instructions" => {
                self.instructions = value(errors, "instructions = \"Search before you answer.\"");
            }
            "part" => {
                let given = value(errors, "part = Admin");
                self.part = given.and_then(|given| name(&given, "part = Admin", errors));
            }
            "parts" => {
                let given = value(errors, "parts = [Admin]");
                match given {
                    Some(Expr::Array(list)) => {
                        self.parts = list.elems.iter().filter_map(|one| path(one, errors)).collect();
                        let words: Vec<_> =
                            self.parts.iter().map(|part| part.to_token_stream().to_string()).collect();
                        let twice = (1..words.len()).find(|at| words[..*at].contains(&words[*at]));
                        if let Some(at) = twice {
                            errors.at(&self.parts[at], "this part stands here twice; keep one of them");
                        }
                    }
                    Some(other) => errors.at(other, "write `parts = [Admin]`"),
                    None => {}
                }
            }
            "crate" => {
                let given = value(errors, "crate = my_crate::onionskin");
                match given {
                    Some(Expr::Path(path)) => self.crate_path = Some(path.path),
                    Some(other) => errors.at(other, "write `crate = my_crate::onionskin`"),
                    None => {}
                }
            }
            "state" => errors.at(
                meta.path(),
                "a toolbox has no state: its object is the instance; a method that takes a part of the agent's state says whose it \
                 is, `#[tool(state = Ledger)]`",
            ),
            _ => errors.at(meta.path(), suggest::unknown("option", key, KEYS)),
        }
    }
}

fn name(value: &Expr, example: &str, errors: &mut Errors) -> Option<Ident> {
    let ident = match value {
        Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    };
    if ident.is_none() {
        errors.at(value, format_args!("write a name: `{example}`"));
    }
    ident
}

fn path(value: &Expr, errors: &mut Errors) -> Option<Path> {
    match value {
        Expr::Path(path) => Some(path.path.clone()),
        _ => {
            errors.at(value, "write the part's name: `parts = [Admin]`");
            None
        }
    }
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

/// What is said of a method as it stands outside of the block, where there is no `Self`.
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
