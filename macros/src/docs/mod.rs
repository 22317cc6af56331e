//! Doc comments: the text for the model, and what its sections say of parameters and of the result.

#[cfg(test)]
mod property_tests;
mod sections;
#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

#[cfg(test)]
pub(crate) use sections::Parts;
pub(crate) use sections::{ParamDoc, parse};

/// One line of documentation.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The doc comments of an item.
pub(crate) enum Docs {
    /// Lines of text.
    Lines(Vec<Line>),
    /// At least one is computed (`#[doc = include_str!(..)]`): expressions, to be put together.
    Computed(Vec<Expr>),
}

impl Docs {
    pub(crate) fn new(attrs: &[Attribute]) -> Self {
        let mut lines = Vec::new();
        let mut parts = Vec::new();
        let mut computed = false;
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
            let Meta::NameValue(pair) = &attr.meta else { continue };
            match literal(&pair.value) {
                Some(text) => {
                    let span = pair.value.span();
                    lines.extend(unindent(&text).into_iter().map(|text| Line { text, span }));
                }
                None => computed = true,
            }
            parts.push(pair.value.clone());
        }
        if computed { Self::Computed(parts) } else { Self::Lines(lines) }
    }
}

fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// The lines of one doc attribute: `///` adds one space, `/** */` adds stars.
fn unindent(text: &str) -> Vec<String> {
    if !text.contains('\n') {
        return vec![text.strip_prefix(' ').unwrap_or(text).to_owned()];
    }
    let mut lines: Vec<&str> = text.lines().collect();
    let starred = lines.iter().skip(1).all(|line| line.trim().is_empty() || line.trim().starts_with('*'));
    if starred {
        for line in lines.iter_mut().skip(1) {
            *line = line.trim_start().strip_prefix('*').unwrap_or_default();
        }
    }
    let indent = lines.iter().skip(1).filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min();
    let indent = indent.unwrap_or(0);
    let rest = lines.iter().skip(1).map(|line| outdent(line, indent).to_owned());
    let first = lines.first().map_or("", |line| line.strip_prefix(' ').unwrap_or(line)).to_owned();
    let mut lines: Vec<String> = std::iter::once(first).chain(rest).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    if lines.len() > 1 && lines[0].trim().is_empty() {
        lines.remove(0);
    }
    lines
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The text without so many bytes of its indentation. A space beyond ASCII, which has more than one, may stay.
fn outdent(text: &str, bytes: usize) -> &str {
    &text[text.floor_char_boundary(bytes)..]
}

/// The whole text.
pub(crate) fn whole(lines: &[Line]) -> String {
    let mut texts: Vec<&str> = lines.iter().map(|line| line.text.trim_end()).collect();
    while texts.last().is_some_and(|line| line.is_empty()) {
        texts.pop();
    }
    let start = texts.iter().position(|line| !line.is_empty()).unwrap_or(0);
    texts[start..].join("\n")
}

/// What the documentation of a function says first, for the page of the type beside it. The whole documentation is on the function's
/// page: here, its examples would be tested a second time.
pub(crate) fn page(attrs: &[Attribute]) -> Option<TokenStream> {
    match Docs::new(attrs) {
        Docs::Computed(parts) => Some(computed(&parts)),
        Docs::Lines(lines) => {
            let summary = summary(&lines);
            (!summary.is_empty()).then(|| quote!(#summary))
        }
    }
}

/// The first paragraph, with the targets that its links can have.
fn summary(lines: &[Line]) -> String {
    let whole = whole(lines);
    let mut lines = whole.lines();
    let mut kept: Vec<&str> = lines.by_ref().take_while(|line| !line.trim().is_empty()).collect();
    let targets: Vec<&str> = lines.filter(|line| line.starts_with('[') && line.contains("]: ")).collect();
    if !targets.is_empty() {
        kept.push("");
        kept.extend(targets);
    }
    kept.join("\n")
}

/// Computed documentation as one expression.
pub(crate) fn computed(parts: &[Expr]) -> TokenStream {
    let parts = parts.iter().enumerate().map(|(at, part)| {
        let gap = if at == 0 { "" } else { "\n" };
        match part {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                let text = text.value();
                let text = format!("{gap}{}", text.strip_prefix(' ').unwrap_or(&text));
                quote!(#text)
            }
            part => quote!(#gap, #part),
        }
    });
    quote!(::core::concat!(#(#parts),*))
}

impl Line {
    /// Lines of a plain text, for tests.
    #[cfg(test)]
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let span = proc_macro2::Span::call_site();
        text.lines().map(|text| Self { text: text.to_owned(), span }).collect()
    }
}
