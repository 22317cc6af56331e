//! The options of `#[arg(..)]` on a parameter.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprRange, LitStr, Meta, RangeLimits};

use crate::diag::Errors;
use crate::keys::keys;
use crate::number::{digits, literal, with_unit};
use crate::option::{Table, Written, meta_name};

/// The replacement for a missing value.
pub(crate) enum Fallback {
    /// `default`: the type's own.
    OfType(Span),
    /// `default = ..`
    Expr(Box<Expr>),
}

keys! {
    /// The options of `#[arg(..)]`.
    pub(crate) struct Arg from option: Written<'_> {
        /// `#[arg(default = 5)]`, `#[arg(default)]` | stands in for a missing value; without a value the type's `Default`
        "default" => default: Option<Fallback> = Some(default(option)?);
        /// `#[arg(rename = "from")]` | the name that the model sees
        "rename" => rename: Option<LitStr> = Some(rename(option)?);
        /// `#[arg(range(0..=9))]` | limits of a number: `a..=b`, `a..b`, `a..`, `..=b`
        "range" => range: Option<Bounds> = Some(limit(option, &RANGE));
        /// `#[arg(length(1..=80))]` | limits of a text's characters, a list's items, a map's entries
        "length" => length: Option<Bounds> = Some(limit(option, &LENGTH));
        /// `#[arg(pattern = "^[a-z]+$")]` | a regular expression (of the `regex-lite` crate) that matches somewhere in the text
        "pattern" => pattern: Option<Pattern> = Some(pattern(option)?);
        /// `#[arg(example = "Oslo")]` | an example for the model
        "example" => example: Option<Expr> = Some(option.value("example = 5")?);
        /// `#[arg(skip)]` | never shown to the model; has its default
        "skip" => skip: bool = option.flag()?;
    }
}

const TABLE: Table<Arg> = Table {
    elsewhere: &[
        ("description", DESCRIBE),
        ("desc", DESCRIBE),
        ("name", "write `rename = \"..\"` to give the argument another name"),
    ],
    ..Table::new("option", Arg::KEYS)
};

const DESCRIBE: &str = "describe a parameter with a doc comment on it: `/// What it is.`";

/// A `range(..)` or a `length(..)`: its span, and its numbers as far as the macro knows them.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) span: Option<Span>,
    /// As it was written.
    pub(crate) words: String,
    pub(crate) least: Option<f64>,
    pub(crate) most: Option<f64>,
    /// Whether [`Self::most`] itself is outside.
    pub(crate) is_open: bool,
    /// Expressions of type `ArgLimit`.
    limits: Vec<TokenStream>,
}

/// A `pattern = ".."`.
pub(crate) struct Pattern {
    pub(crate) span: Span,
    /// As it was written.
    pub(crate) words: String,
    pub(crate) regex: Option<regex_lite::Regex>,
    /// An expression of type `ArgLimit`.
    limit: TokenStream,
}

/// How the bounds of a limit are read, and the variants of `ArgLimit` that they become.
struct Limit {
    example: &'static str,
    read: ReadBound,
    least: &'static str,
    most: &'static str,
    /// Of an end that is outside; a count has none.
    below: Option<&'static str>,
}

const RANGE: Limit = Limit {
    example: "range(0..=9)",
    read: number,
    least: "Minimum",
    most: "Maximum",
    below: Some("ExclusiveMaximum"),
};

const LENGTH: Limit =
    Limit { example: "length(1..=80)", read: count, least: "MinLength", most: "MaxLength", below: None };

/// Reads a bound: an expression, and its number if that is known here.
type ReadBound = fn(&Expr, &mut Errors) -> Option<(TokenStream, Option<f64>)>;

impl Arg {
    /// Reads one `#[arg(..)]`. Gives its limits, expressions of type `ArgLimit`, in the order in which they were written.
    pub(crate) fn read(&mut self, attr: &Attribute, errors: &mut Errors) -> Vec<TokenStream> {
        let list = match &attr.meta {
            Meta::Path(_) => return Vec::new(),
            Meta::List(list) => list,
            Meta::NameValue(_) => {
                errors.at(attr, "write the options in parentheses: `#[arg(default = 5, range(0..=9))]`");
                return Vec::new();
            }
        };
        let seen = TABLE.read_list(self, list, errors);
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
        let limits = seen.iter().map(|key| match key.as_str() {
            "range" => self.range.as_ref().map_or(&[][..], |range| &range.limits),
            "length" => self.length.as_ref().map_or(&[][..], |length| &length.limits),
            "pattern" => {
                self.pattern.as_ref().map_or(&[][..], |pattern| std::slice::from_ref(&pattern.limit))
            }
            _ => &[],
        });
        limits.flatten().cloned().collect()
    }
}

fn default(option: &Written<'_>) -> syn::Result<Fallback> {
    match option.meta {
        Meta::Path(path) => Ok(Fallback::OfType(path.span())),
        _ => Ok(Fallback::Expr(Box::new(option.value("default = 5")?))),
    }
}

fn rename(option: &Written<'_>) -> syn::Result<LitStr> {
    let name = option.text("rename = \"from\"")?;
    if name.value().is_empty() {
        return Err(syn::Error::new_spanned(name, "an argument needs a name"));
    }
    if name.value().contains(needs_escape) {
        return Err(syn::Error::new_spanned(
            name,
            "an argument's name is written into JSON unchanged: write it without quotes, backslashes and control characters",
        ));
    }
    Ok(name)
}

fn pattern(option: &mut Written<'_>) -> syn::Result<Pattern> {
    let text = option.text("pattern = \"^[a-z]+$\"")?;
    let regex = match regex_lite::Regex::new(&text.value()) {
        Ok(regex) => Some(regex),
        Err(error) => {
            option.errors.at(&text, format_args!("this is not a regular expression: {error}"));
            None
        }
    };
    Ok(Pattern {
        span: option.meta.span(),
        words: words(option.meta),
        regex,
        limit: quote!(__rt::ArgLimit::Pattern(#text)),
    })
}

fn limit(option: &mut Written<'_>, limit: &Limit) -> Bounds {
    let (meta, errors, example) = (option.meta, &mut *option.errors, limit.example);
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
    if let Some((value, first)) = start.as_deref().and_then(|start| (limit.read)(start, errors)) {
        let least = name(limit.least);
        bounds.limits.push(quote!(__rt::ArgLimit::#least(#value)));
        bounds.least = first;
    }
    bounds.is_open = matches!(limits, RangeLimits::HalfOpen(_));
    if let Some((value, last)) = end.as_deref().and_then(|end| (limit.read)(end, errors)) {
        let most = name(limit.below.filter(|_| bounds.is_open).unwrap_or(limit.most));
        // The length below an end that is outside is one less.
        let value = if bounds.is_open && limit.below.is_none() { quote!(#value - 1) } else { value };
        bounds.limits.push(quote!(__rt::ArgLimit::#most(#value)));
        bounds.most = last;
    }
    let first = bounds.least.or((limit.below.is_none() && start.is_none()).then_some(0.0));
    if let (Some(first), Some(last)) = (first, bounds.most)
        && (first > last || (bounds.is_open && first >= last))
    {
        errors.at(&range, "nothing is in this range; the smaller number comes first: `0..=9`");
    }
    bounds
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

#[cfg(test)]
mod tests {
    use super::Arg;

    #[test]
    fn t3_the_documentation_lists_each_option_of_a_parameter() {
        const PAGE: &str = include_str!("../../../runtime/core/src/docs/tool.md");
        for key in Arg::KEYS {
            let row = format!("\n| {} |\n", key.row.trim());
            assert!(PAGE.contains(&row), "the page has no row {row}");
        }
    }
}
