//! Checks the limits of a parameter against its type, its default and its example. If they contradict each other, no
//! model can call the tool correctly. What the macro cannot see is checked when the tool is defined.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, Type};

use super::arg::{Arg, Fallback};
use super::limits::Bounds;
use crate::diag::Errors;
use crate::injected::{argument, plain};
use crate::number::literal;

/// The kind of a type that is known by its name: it decides which limits fit.
enum LimitedType {
    /// A whole number, from the least to the greatest.
    Whole(f64, f64),
    Float,
    Bool,
    Text,
    List,
    Map,
}

/// Checks the limits of a parameter whose type is known by name.
pub(super) fn check(ty: &Type, arg: &Arg, errors: &mut Errors) {
    check_type(ty, false, arg, errors);
}

fn check_type(ty: &Type, is_optional: bool, arg: &Arg, errors: &mut Errors) {
    let ty = match plain(ty) {
        Type::Reference(reference) => plain(&reference.elem),
        ty => ty,
    };
    for name in ["Option", "Cow"] {
        if let Some(inner) = argument(ty, name) {
            return check_type(inner, is_optional || name == "Option", arg, errors);
        }
    }
    let kind = match ty {
        Type::Slice(_) | Type::Array(_) => Some(LimitedType::List),
        Type::Path(path) => path.path.segments.last().and_then(|last| kind(&last.ident.to_string())),
        _ => None,
    };
    let Some(kind) = kind else { return };
    if !fit(&kind, arg, errors) {
        return;
    }
    if let (LimitedType::Whole(least, most), Some(range)) = (&kind, &arg.range) {
        holds(ty, (*least, *most), range, errors);
    }
    default(&kind, is_optional, arg, errors);
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a range that is wrong by one near 2^64 is not one of the mistakes"
)]
fn kind(name: &str) -> Option<LimitedType> {
    Some(match name {
        "u8" => LimitedType::Whole(0.0, u8::MAX.into()),
        "u16" => LimitedType::Whole(0.0, u16::MAX.into()),
        "u32" => LimitedType::Whole(0.0, u32::MAX.into()),
        "u64" | "usize" => LimitedType::Whole(0.0, u64::MAX as f64),
        "u128" => LimitedType::Whole(0.0, u128::MAX as f64),
        "i8" => LimitedType::Whole(i8::MIN.into(), i8::MAX.into()),
        "i16" => LimitedType::Whole(i16::MIN.into(), i16::MAX.into()),
        "i32" => LimitedType::Whole(i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => LimitedType::Whole(i64::MIN as f64, i64::MAX as f64),
        "i128" => LimitedType::Whole(i128::MIN as f64, i128::MAX as f64),
        "f32" | "f64" => LimitedType::Float,
        "bool" => LimitedType::Bool,
        "str" | "String" | "Path" | "PathBuf" => LimitedType::Text,
        "Vec" | "HashSet" | "BTreeSet" | "VecDeque" => LimitedType::List,
        "HashMap" | "BTreeMap" => LimitedType::Map,
        _ => return None,
    })
}

/// Returns whether the type has each kind of limit: a range of a text is a mistake.
fn fit(kind: &LimitedType, arg: &Arg, errors: &mut Errors) -> bool {
    let range = (arg.range.as_ref().map(|range| range.span), "range");
    let length = (arg.length.as_ref().map(|length| length.span), "length");
    let pattern = (arg.pattern.as_ref().map(|pattern| pattern.span), "pattern");
    let (wrong, instead): (&[(Option<Span>, &str)], &str) = match kind {
        LimitedType::Whole(..) | LimitedType::Float => (&[length, pattern], "for a number write `range(..)`"),
        LimitedType::Bool => (&[range, length, pattern], "remove it: the value is `true` or `false`"),
        LimitedType::Text => (&[range], "for text write `length(..)` or `pattern = \"..\"`"),
        LimitedType::List => (&[range, pattern], "for a list write `length(..)`"),
        LimitedType::Map => (&[range, pattern], "for a map write `length(..)`"),
    };
    let mut fits = true;
    for (span, limit) in wrong {
        if let Some(span) = span {
            errors.push(*span, format_args!("`{limit}` does not fit the type of this parameter; {instead}"));
            fits = false;
        }
    }
    fits
}

/// Checks that a whole number's type holds all numbers that its range allows.
fn holds(ty: &Type, (lowest, highest): (f64, f64), range: &Bounds, errors: &mut Errors) {
    let span = range.span;
    let name = quote::quote!(#ty).to_string();
    if [range.least, range.most].into_iter().flatten().any(|bound| bound.fract() != 0.0) {
        errors.push(span, format_args!("`{name}` holds whole numbers: write a range of whole numbers"));
        return;
    }
    let last = range.most.map(|most| if range.excludes_most { most - 1.0 } else { most });
    let beyond = |bound: f64| bound < lowest || bound > highest;
    if range.least.is_some_and(beyond) || last.is_some_and(beyond) {
        errors.push(
            span,
            format_args!(
                "`{name}` holds {lowest} to {highest}, and this range goes beyond that: narrow the range, or take another \
                 type"
            ),
        );
    }
}

/// Checks that a literal default and a literal example are in the limits.
fn default(kind: &LimitedType, is_optional: bool, arg: &Arg, errors: &mut Errors) {
    let given = match &arg.default {
        Some(Fallback::Expr(value)) => Some(&**value),
        _ => None,
    };
    if let Some((limit, value)) = given.and_then(|value| outside(kind, &LiteralValue::new(value)?, arg)) {
        errors.push(
            given.map_or_else(Span::call_site, Spanned::span),
            format_args!("the default {value} is outside of `{limit}`: change one of them"),
        );
    }
    if let Some(Fallback::TypeDefault(span)) = &arg.default {
        let own = match kind {
            LimitedType::Whole(..) | LimitedType::Float => LiteralValue::Number(0.0),
            LimitedType::Text => LiteralValue::Text(String::new()),
            LimitedType::Bool | LimitedType::List | LimitedType::Map => LiteralValue::Empty,
        };
        if !matches!(kind, LimitedType::Bool)
            && !is_optional
            && let Some((limit, value)) = outside(kind, &own, arg)
        {
            errors.push(
                *span,
                format_args!(
                    "the default of this type is {value}, outside of `{limit}`: write `default = ..`"
                ),
            );
        }
    }
    if let Some(example) = &arg.example
        && let Some((limit, value)) = LiteralValue::new(example).and_then(|given| outside(kind, &given, arg))
    {
        errors.push(
            example.span(),
            format_args!("the example {value} is outside of `{limit}`: change one of them"),
        );
    }
}

/// A value that is known here.
enum LiteralValue {
    Number(f64),
    Text(String),
    /// A list or a map with nothing in it.
    Empty,
}

impl LiteralValue {
    fn new(value: &Expr) -> Option<Self> {
        match value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(Self::Text(text.value())),
            other => literal(other).map(Self::Number),
        }
    }
}

/// The limit that a value is outside of, and how the value reads.
fn outside(kind: &LimitedType, value: &LiteralValue, arg: &Arg) -> Option<(String, String)> {
    let is_in = |bounds: &Bounds, number: f64| {
        let above = bounds.least.is_none_or(|least| number >= least);
        let below = |most: f64| number < most || (number <= most && !bounds.excludes_most);
        above && bounds.most.is_none_or(below)
    };
    let beyond = |bounds: &Option<Bounds>, number: f64| {
        bounds.as_ref().filter(|bounds| !is_in(bounds, number)).map(|bounds| bounds.words.clone())
    };
    #[expect(clippy::cast_precision_loss, reason = "no text in a source is that long")]
    match (kind, value) {
        (LimitedType::Whole(..) | LimitedType::Float, LiteralValue::Number(number)) => {
            Some((beyond(&arg.range, *number)?, format!("`{number}`")))
        }
        (LimitedType::Text, LiteralValue::Text(text)) => {
            let pattern = arg.pattern.as_ref().filter(|pattern| !pattern.regex.is_match(text));
            let limit = beyond(&arg.length, text.chars().count() as f64)
                .or_else(|| pattern.map(|pattern| pattern.words.clone()))?;
            Some((limit, format!("`{text:?}`")))
        }
        (LimitedType::List | LimitedType::Map, LiteralValue::Empty) => {
            Some((beyond(&arg.length, 0.0)?, "empty".to_owned()))
        }
        _ => None,
    }
}
