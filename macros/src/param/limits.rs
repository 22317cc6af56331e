//! The limits of `#[arg(..)]`: `range(..)`, `length(..)` and `pattern = ".."`. `limits_check` compares them with the
//! parameter's type and default.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Expr, ExprRange, Meta, RangeLimits};

use crate::diag::Errors;
use crate::number::{digits, literal, with_unit};
use crate::option::{WrittenOption, meta_name};

/// A `range(..)` or a `length(..)`: its span, and its numbers as far as the macro knows them.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) span: Option<Span>,
    /// The source text.
    pub(crate) words: String,
    pub(crate) least: Option<f64>,
    pub(crate) most: Option<f64>,
    /// True if the upper bound is exclusive (`0..9`).
    pub(crate) excludes_most: bool,
    /// Expressions of type `ArgLimit`.
    pub(super) limits: Vec<TokenStream>,
}

/// A `pattern = ".."`.
pub(crate) struct Pattern {
    pub(crate) span: Span,
    /// The source text.
    pub(crate) words: String,
    pub(crate) regex: Option<regex_lite::Regex>,
    /// An expression of type `ArgLimit`.
    pub(super) limit: TokenStream,
}

/// The reader of the bounds of a limit, and the variants of `ArgLimit` that they become.
pub(super) struct Limit {
    example: &'static str,
    bound: ReadBound,
    least: &'static str,
    most: &'static str,
    /// The variant for an exclusive upper bound. `None` for a length, whose bound is lowered by one.
    exclusive_most: Option<&'static str>,
}

pub(super) const RANGE: Limit = Limit {
    example: "range(0..=9)",
    bound: number,
    least: "Minimum",
    most: "Maximum",
    exclusive_most: Some("ExclusiveMaximum"),
};

pub(super) const LENGTH: Limit = Limit {
    example: "length(1..=80)",
    bound: count,
    least: "MinLength",
    most: "MaxLength",
    exclusive_most: None,
};

/// Reads a bound: an expression, and its number if that is known here.
type ReadBound = fn(&Expr, &mut Errors) -> Option<(TokenStream, Option<f64>)>;

impl Pattern {
    pub(super) fn read(option: &mut WrittenOption<'_>) -> syn::Result<Self> {
        let text = option.text("pattern = \"^[a-z]+$\"")?;
        let regex = match regex_lite::Regex::new(&text.value()) {
            Ok(regex) => Some(regex),
            Err(error) => {
                option.errors.at(&text, format_args!("this is not a regular expression: {error}"));
                None
            }
        };
        Ok(Self {
            span: option.meta.span(),
            words: words(option.meta),
            regex,
            limit: quote!(__rt::ArgLimit::Pattern(#text)),
        })
    }
}

impl Limit {
    /// Reads the option, and reports its mistakes.
    pub(super) fn read(&self, option: &mut WrittenOption<'_>) -> Bounds {
        let (meta, errors, example) = (option.meta, &mut *option.errors, self.example);
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
        if let Some((value, first)) = start.as_deref().and_then(|start| (self.bound)(start, errors)) {
            let least = name(self.least);
            bounds.limits.push(quote!(__rt::ArgLimit::#least(#value)));
            bounds.least = first;
        }
        bounds.excludes_most = matches!(limits, RangeLimits::HalfOpen(_));
        if let Some((value, last)) = end.as_deref().and_then(|end| (self.bound)(end, errors)) {
            let most = name(self.exclusive_most.filter(|_| bounds.excludes_most).unwrap_or(self.most));
            // JSON Schema has no exclusive bound for a length, so the bound is lowered by one.
            let value = if bounds.excludes_most && self.exclusive_most.is_none() {
                quote!(#value - 1)
            } else {
                value
            };
            bounds.limits.push(quote!(__rt::ArgLimit::#most(#value)));
            bounds.most = last;
        }
        let first = bounds.least.or((self.exclusive_most.is_none() && start.is_none()).then_some(0.0));
        if let (Some(first), Some(last)) = (first, bounds.most)
            && (first > last || (bounds.excludes_most && first >= last))
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
