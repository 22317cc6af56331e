//! The limits of `#[arg(..)]`: `range(..)`, `length(..)` and `pattern = ".."`. `limits_check` compares them with the
//! parameter's type and default.

use darling::Result;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Expr, ExprRange, LitStr, Meta, RangeLimits};

use crate::number::{digits, literal, with_unit};
use crate::option::{each, error_at, meta_name, read};

/// A `range(..)` or a `length(..)`: its span, and the numbers that the macro knows.
pub(crate) struct Bounds {
    pub(crate) span: Span,
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
    pub(crate) regex: regex_lite::Regex,
    /// An expression of type `ArgLimit`.
    pub(super) limit: TokenStream,
}

/// A kind of limit: how its bounds are read, and the variants of `ArgLimit` that they become.
struct Limit {
    bound: fn(&Expr) -> Result<Bound>,
    least: &'static str,
    most: &'static str,
    /// The variant for an exclusive upper bound. `None` for a length, whose bound is lowered by one.
    exclusive_most: Option<&'static str>,
}

/// A bound: an expression, and its number if that is known here.
type Bound = (TokenStream, Option<f64>);

/// Reads `range(..)`.
pub(super) fn range(meta: &Meta) -> Result<Option<Bounds>> {
    let limit =
        Limit { bound: number, least: "Minimum", most: "Maximum", exclusive_most: Some("ExclusiveMaximum") };
    limit.read(meta).map(Some)
}

/// Reads `length(..)`.
pub(super) fn length(meta: &Meta) -> Result<Option<Bounds>> {
    let limit = Limit { bound: count, least: "MinLength", most: "MaxLength", exclusive_most: None };
    limit.read(meta).map(Some)
}

/// Reads `pattern = ".."`.
pub(super) fn pattern(meta: &Meta) -> Result<Option<Pattern>> {
    let text: LitStr = read::text(meta)?;
    let regex = regex_lite::Regex::new(&text.value())
        .map_err(|error| error_at(&text, format_args!("this is not a regular expression: {error}")))?;
    let limit = quote!(__rt::ArgLimit::Pattern(#text));
    Ok(Some(Pattern { span: meta.span(), words: words(meta), regex, limit }))
}

impl Limit {
    fn read(&self, meta: &Meta) -> Result<Bounds> {
        let Meta::List(list) = meta else { return Err(error_at(meta, "write the value in parentheses: ")) };
        let Ok(Expr::Range(range)) = list.parse_args::<Expr>() else {
            return Err(error_at(&list.tokens, "expected a range: "));
        };
        let ExprRange { start, end, limits, .. } = &range;
        if start.is_none() && end.is_none() {
            return Err(error_at(&range, "`..` limits nothing; write "));
        }
        let bound = |expr: &Option<Box<Expr>>| expr.as_deref().map(self.bound).transpose();
        let mut bounds = each([start, end], bound)?.into_iter();
        let (least, most) = (bounds.next().flatten(), bounds.next().flatten());
        let excludes_most = matches!(limits, RangeLimits::HalfOpen(_));
        let variant = |word: &str, value: TokenStream| {
            let word = Ident::new(word, Span::call_site());
            quote!(__rt::ArgLimit::#word(#value))
        };
        let mut bounds = Bounds {
            span: meta.span(),
            words: words(meta),
            least: None,
            most: None,
            excludes_most,
            limits: Vec::new(),
        };
        if let Some((value, number)) = least {
            bounds.limits.push(variant(self.least, value));
            bounds.least = number;
        }
        if let Some((value, number)) = most {
            bounds.limits.push(match self.exclusive_most {
                Some(exclusive) if excludes_most => variant(exclusive, value),
                // JSON Schema has no exclusive bound for a length, so the bound is lowered by one.
                None if excludes_most => variant(self.most, quote!(#value - 1)),
                _ => variant(self.most, value),
            });
            bounds.most = number;
        }
        let first = bounds.least.or((self.exclusive_most.is_none() && start.is_none()).then_some(0.0));
        if let (Some(first), Some(last)) = (first, bounds.most)
            && (first > last || (excludes_most && first >= last))
        {
            return Err(error_at(&range, "this range is empty: write the smaller number first, `0..=9`"));
        }
        Ok(bounds)
    }
}

/// A bound of `range`: a literal number, or a constant.
fn number(expr: &Expr) -> Result<Bound> {
    if let Some(number) = literal(expr) {
        return Ok((quote!(#number), Some(number)));
    }
    if let Some(error) = digits(expr).and_then(with_unit) {
        return Err(error.into());
    }
    if matches!(expr, Expr::Lit(_)) {
        return Err(error_at(expr, "expected a number"));
    }
    Ok((quote!((#expr) as f64), None))
}

/// A bound of `length`: a whole literal number, or a constant.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole")]
fn count(expr: &Expr) -> Result<Bound> {
    if let Some(error) = digits(expr).and_then(with_unit) {
        return Err(error.into());
    }
    match literal(expr) {
        Some(number) if number >= 0.0 && number.fract() == 0.0 => {
            let count = number as u64;
            Ok((quote!(#count), Some(number)))
        }
        None if !matches!(expr, Expr::Lit(_)) => Ok((quote!((#expr) as u64), None)),
        _ => Err(error_at(expr, "expected a whole number of at least 0")),
    }
}

/// An option as it was written: `range(1..=10)`.
fn words(meta: &Meta) -> String {
    match meta {
        Meta::NameValue(pair) => format!("{} = {}", meta_name(meta), pair.value.to_token_stream()),
        _ => meta.to_token_stream().to_string().replace(' ', ""),
    }
}
