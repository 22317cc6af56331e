//! The options of `#[arg(..)]` on a parameter.

use darling::FromMeta;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Meta, Token};

use super::limits::{self, Bounds, Pattern};
use crate::diag::Errors;
use crate::keys::options;
use crate::option::{Table, error_at, read};

/// The replacement for a missing value.
pub(crate) enum Fallback {
    /// `default`: the type's own.
    TypeDefault(Span),
    /// `default = ..`
    Expr(Box<Expr>),
}

options! {
    /// The options of `#[arg(..)]`.
    #[derive(Default, FromMeta)]
    pub(crate) struct Arg {
        default: Option<Fallback> = self::default,
        rename: Option<LitStr> = self::rename,
        range: Option<Bounds> = limits::range,
        length: Option<Bounds> = limits::length,
        pattern: Option<Pattern> = limits::pattern,
        example: Option<Expr> = read::value,
        skip: bool = read::flag,
    }
}

const TABLE: Table<'_> = Table {
    elsewhere: &[
        ("description", DESCRIBE),
        ("desc", DESCRIBE),
        ("name", "write `rename = \"..\"` to give the argument another name"),
    ],
    ..Table::new("option", onionskin_vocabulary::options::arg())
};

const DESCRIBE: &str = "describe a parameter with a doc comment on it: `/// What it is.`";

impl Arg {
    /// Reads the `#[arg(..)]`s of a parameter as one.
    pub(crate) fn read<'a>(attrs: impl Iterator<Item = &'a Attribute>, errors: &mut Errors) -> Self {
        let mut options: Punctuated<TokenStream, Token![,]> = Punctuated::new();
        let mut last = None;
        for attr in attrs {
            match &attr.meta {
                Meta::Path(_) => {}
                Meta::List(list) => options.push(list.tokens.clone()),
                Meta::NameValue(_) => {
                    errors.at(attr, "write the options in parentheses: `#[arg(default = 5, range(0..=9))]`");
                }
            }
            last = Some(attr);
        }
        let arg: Self = TABLE.read(options.into_token_stream(), errors);
        let others = [
            ("rename", arg.rename.is_some()),
            ("range", arg.range.is_some()),
            ("length", arg.length.is_some()),
            ("pattern", arg.pattern.is_some()),
            ("example", arg.example.is_some()),
        ];
        if let (true, Some((other, _)), Some(attr)) =
            (arg.skip, others.iter().find(|(_, is_set)| *is_set), last)
        {
            errors.at(
                attr.path(),
                format_args!(
                    "the model never sees a parameter with `skip`, so `{other}` does nothing; remove one of them"
                ),
            );
        }
        arg
    }

    /// Its limits, expressions of type `ArgLimit`.
    pub(crate) fn limits(&self) -> Vec<TokenStream> {
        let bounds = self.range.iter().chain(&self.length).flat_map(|bounds| &bounds.limits);
        bounds.chain(self.pattern.iter().map(|pattern| &pattern.limit)).cloned().collect()
    }
}

fn default(meta: &Meta) -> darling::Result<Option<Fallback>> {
    Ok(Some(match meta {
        Meta::Path(path) => Fallback::TypeDefault(path.span()),
        _ => Fallback::Expr(Box::new(read::value(meta)?)),
    }))
}

fn rename(meta: &Meta) -> darling::Result<Option<LitStr>> {
    let name: LitStr = read::text(meta)?;
    if name.value().is_empty() {
        return Err(error_at(name, "an argument needs a name"));
    }
    if name.value().contains(needs_escape) {
        return Err(error_at(
            name,
            "an argument's name is written into JSON unchanged: write it without quotes, backslashes and control characters",
        ));
    }
    Ok(Some(name))
}

fn needs_escape(character: char) -> bool {
    matches!(character, '"' | '\\') || character.is_control()
}
