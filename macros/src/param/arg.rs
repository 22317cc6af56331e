//! The options of `#[arg(..)]` on a parameter.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprRange, LitStr, Meta, RangeLimits, Token};

use crate::diag::Errors;
use crate::number::{digits, literal, with_unit};
use crate::option::{each_option, flag, meta_name, text, value};
use crate::suggest;

/// What stands in for a missing value.
pub(crate) enum Fallback {
    /// `default`: the type's own.
    OfType(Span),
    /// `default = ..`
    Expr(Box<Expr>),
}

/// What `#[arg(..)]` says.
#[derive(Default)]
pub(crate) struct Arg {
    pub(crate) default: Option<Fallback>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) example: Option<Expr>,
    pub(crate) skip: bool,
    /// Expressions of type `ArgLimit`.
    pub(crate) limits: Vec<TokenStream>,
    pub(crate) range: Option<Bounds>,
    pub(crate) length: Option<Bounds>,
    pub(crate) pattern: Option<Pattern>,
}

/// A `range(..)` or a `length(..)`: where it stands, and its numbers as far as they are known here.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) span: Option<Span>,
    /// As it was written.
    pub(crate) words: String,
    pub(crate) least: Option<f64>,
    pub(crate) most: Option<f64>,
    /// Whether [`Self::most`] itself is outside.
    pub(crate) is_open: bool,
}

/// A `pattern = ".."`.
pub(crate) struct Pattern {
    pub(crate) span: Span,
    /// As it was written.
    pub(crate) words: String,
    pub(crate) regex: Option<regex_lite::Regex>,
}

const KEYS: &[&str] = &["default", "rename", "range", "length", "pattern", "example", "skip"];

/// Reads a bound: an expression, and its number if that is known here.
type ReadBound = fn(&Expr, &mut Errors) -> Option<(TokenStream, Option<f64>)>;

impl Arg {
    pub(crate) fn read(&mut self, attr: &Attribute, errors: &mut Errors) {
        let list = match &attr.meta {
            Meta::Path(_) => return,
            Meta::List(list) => list,
            Meta::NameValue(_) => {
                errors.at(attr, "write the options in parentheses: `#[arg(default = 5, range(0..=9))]`");
                return;
            }
        };
        let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        let seen = each_option(parsed, errors, |key, meta, errors| self.option(key, meta, errors));
        if self.skip
            && let Some(other) = seen.iter().find(|key| !matches!(key.as_str(), "skip" | "default"))
        {
            errors.at(
                list.path.clone(),
                format_args!(
                    "the model never sees a parameter with `skip`, so `{other}` does nothing; drop one"
                ),
            );
        }
    }

    fn option(&mut self, key: &str, meta: &Meta, errors: &mut Errors) {
        match key {
            "default" => {
                self.default = match meta {
                    Meta::Path(path) => Some(Fallback::OfType(path.span())),
                    _ => value(meta, "default = 5", errors).map(|value| Fallback::Expr(Box::new(value))),
                }
            }
            "rename" => {
                self.rename = text(meta, "rename = \"from\"", errors);
                if self.rename.as_ref().is_some_and(|name| name.value().is_empty()) {
                    errors.at(&self.rename, "an argument needs a name");
                } else if self.rename.as_ref().is_some_and(|name| name.value().contains(needs_escape)) {
                    errors.at(
                        &self.rename,
                        "an argument's name stands in JSON as it is: write it without quotes, backslashes and control \
                         characters",
                    );
                }
            }
            "example" => self.example = value(meta, "example = 5", errors),
            "skip" => self.skip = flag(meta, errors),
            "range" => {
                let names = ["Minimum", "Maximum", "ExclusiveMaximum"];
                self.range = Some(self.limit(meta, "range(0..=9)", number, names, errors));
            }
            "length" => {
                let names = ["MinLength", "MaxLength", ""];
                self.length = Some(self.limit(meta, "length(1..=80)", count, names, errors));
            }
            "pattern" => {
                let mut regex = None;
                if let Some(pattern) = text(meta, "pattern = \"^[a-z]+$\"", errors) {
                    match regex_lite::Regex::new(&pattern.value()) {
                        Ok(made) => regex = Some(made),
                        Err(error) => {
                            errors.at(&pattern, format_args!("this is no regular expression: {error}"));
                        }
                    }
                    self.limits.push(quote!(__rt::ArgLimit::Pattern(#pattern)));
                }
                self.pattern = Some(Pattern { span: meta.span(), words: words(meta), regex });
            }
            "description" | "desc" => {
                errors.at(meta.path(), "describe a parameter with a doc comment on it: `/// What it is.`");
            }
            "name" => errors.at(meta.path(), "write `rename = \"..\"` to give the argument another name"),
            _ => errors.at(meta.path(), suggest::unknown("option", key, KEYS)),
        }
    }

    fn limit(
        &mut self,
        meta: &Meta,
        example: &str,
        bound: ReadBound,
        [least, most, below]: [&str; 3],
        errors: &mut Errors,
    ) -> Bounds {
        let mut bounds = Bounds { span: Some(meta.span()), words: words(meta), ..Bounds::default() };
        let Meta::List(list) = meta else {
            errors.at(meta, format_args!("write it with parentheses: `{example}`"));
            return bounds;
        };
        let Ok(range) = list.parse_args::<Expr>() else {
            errors.at(&list.tokens, format_args!("a range is wanted here: `{example}`"));
            return bounds;
        };
        let Expr::Range(ExprRange { start, end, limits, .. }) = &range else {
            errors.at(range, format_args!("a range is wanted here: `{example}`"));
            return bounds;
        };
        if start.is_none() && end.is_none() {
            errors.at(&range, format_args!("`..` limits nothing; write `{example}`"));
            return bounds;
        }
        let name = |word: &str| syn::Ident::new(word, Span::call_site());
        if let Some((value, first)) = start.as_deref().and_then(|start| bound(start, errors)) {
            let least = name(least);
            self.limits.push(quote!(__rt::ArgLimit::#least(#value)));
            bounds.least = first;
        }
        bounds.is_open = matches!(limits, RangeLimits::HalfOpen(_));
        if let Some((value, last)) = end.as_deref().and_then(|end| bound(end, errors)) {
            if bounds.is_open && below.is_empty() {
                self.limits.push(quote!(__rt::ArgLimit::MaxLength(#value - 1)));
            } else {
                let most = name(if bounds.is_open { below } else { most });
                self.limits.push(quote!(__rt::ArgLimit::#most(#value)));
            }
            bounds.most = last;
        }
        let counts = below.is_empty();
        let first = bounds.least.or((counts && start.is_none()).then_some(0.0));
        if let (Some(first), Some(last)) = (first, bounds.most)
            && (first > last || (bounds.is_open && first >= last))
        {
            errors.at(&range, "nothing is in this range; the smaller number comes first: `0..=9`");
        }
        bounds
    }
}

/// A bound of `range`: a literal number, or a constant.
fn number(expr: &Expr, errors: &mut Errors) -> Option<(TokenStream, Option<f64>)> {
    if let Some(number) = literal(expr) {
        return Some((quote!(#number), Some(number)));
    }
    if let Some(error) = digits(expr).and_then(with_unit) {
        errors.add(error);
        return None;
    }
    if matches!(expr, Expr::Lit(_)) {
        errors.at(expr, "a number is wanted here");
        return None;
    }
    Some((quote!((#expr) as f64), None))
}

/// A bound of `length`: a whole literal number, or a constant.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole")]
fn count(expr: &Expr, errors: &mut Errors) -> Option<(TokenStream, Option<f64>)> {
    if let Some(error) = digits(expr).and_then(with_unit) {
        errors.add(error);
        return None;
    }
    match literal(expr) {
        Some(number) if number >= 0.0 && number.fract() == 0.0 => {
            let count = number as u64;
            Some((quote!(#count), Some(number)))
        }
        None if !matches!(expr, Expr::Lit(_)) => Some((quote!((#expr) as u64), None)),
        _ => {
            errors.at(expr, "a length is a whole number from 0 up");
            None
        }
    }
}

/// An option as it was written: `range(1..=10)`.
fn words(meta: &Meta) -> String {
    match meta {
        Meta::NameValue(pair) => format!("{} = {}", meta_name(meta), pair.value.to_token_stream()),
        _ => meta.to_token_stream().to_string().replace(' ', ""),
    }
}

fn needs_escape(character: char) -> bool {
    matches!(character, '"' | '\\') || character.is_control()
}
