//! Literal numbers. Rust and syn read `30s` as the number 30 with a suffix. The number alone would lose the unit.

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// The types that Rust itself takes behind a number.
const NUMBERS: &[&str] =
    &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];

/// Whether this is the name of a type of Rust's own with single values.
pub(crate) fn is_primitive(name: &str) -> bool {
    NUMBERS.contains(&name) || matches!(name, "bool" | "char")
}

/// The suffix of a number, if it is not a type of Rust's: a unit.
pub(crate) fn unit(lit: &Lit) -> Option<&str> {
    let suffix = match lit {
        Lit::Int(int) => int.suffix(),
        Lit::Float(float) => float.suffix(),
        _ => "",
    };
    (!suffix.is_empty() && !NUMBERS.contains(&suffix)).then_some(suffix)
}

/// The error for a number with a unit.
pub(crate) fn with_unit(lit: &Lit) -> Option<syn::Error> {
    let unit = unit(lit)?;
    Some(syn::Error::new(lit.span(), without(unit)))
}

/// What to write in place of a number with a unit.
pub(crate) fn without(unit: &str) -> String {
    format!("write the number without `{unit}`")
}

/// A literal number, with its sign; none if it has a unit.
pub(crate) fn literal(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) if unit(lit).is_some() => None,
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => literal(expr).map(|number| -number),
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}

/// A literal that is written as a whole number, without its sign.
pub(crate) fn whole(expr: &Expr) -> syn::Result<Option<u64>> {
    let Some(Lit::Int(int)) = digits(expr) else { return Ok(None) };
    let too_long =
        |_| syn::Error::new_spanned(expr, "this number is out of range: write one of at most 64 bits");
    int.base10_parse().map(Some).map_err(too_long)
}

/// The literal in an expression, behind its sign.
pub(crate) fn digits(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => digits(expr),
        Expr::Paren(inner) => digits(&inner.expr),
        Expr::Group(inner) => digits(&inner.expr),
        _ => None,
    }
}
