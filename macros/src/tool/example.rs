//! `examples = [example(x = 41).output(42).note("..")]`: examples of calls.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprLit, ExprMethodCall, Lit, LitStr};

use super::values::show;
use crate::diag::Errors;
use crate::option::WrittenOption;
use crate::param::Param;
use crate::suggest;

const WANTED: &str = "examples = [example(x = 41).output(42).note(\"An easy one.\")]";

/// An example of a call.
pub(crate) struct Example {
    pub(crate) args: Vec<(Ident, Expr)>,
    output: Option<Expr>,
    note: Option<LitStr>,
    pub(crate) span: Span,
}

impl Example {
    /// Reads a list of examples.
    pub(super) fn list(option: &mut WrittenOption<'_>) -> syn::Result<Vec<Self>> {
        let list = option.list(WANTED)?;
        Ok(list.iter().filter_map(|entry| Self::read(entry, option.errors)).collect())
    }

    fn read(entry: &Expr, errors: &mut Errors) -> Option<Self> {
        match entry {
            Expr::Call(call) if is_example(call) => Self::of_call(call, errors),
            Expr::MethodCall(call) => {
                let example = Self::read(&call.receiver, errors)?;
                example.with(call, errors)
            }
            other => {
                errors.at(other, format_args!("an example of a call is wanted here, as in `{WANTED}`"));
                None
            }
        }
    }

    fn of_call(call: &ExprCall, errors: &mut Errors) -> Option<Self> {
        let mut args = Vec::new();
        let before = errors.is_empty();
        for arg in &call.args {
            match arg {
                Expr::Assign(pair) => match &*pair.left {
                    Expr::Path(name) if name.path.get_ident().is_some() => {
                        args.extend(name.path.get_ident().map(|name| (name.clone(), (*pair.right).clone())));
                    }
                    other => errors.at(other, "the name of a parameter is wanted here: `example(x = 41)`"),
                },
                other => errors.at(other, "name the parameter that this is for: `example(x = 41)`"),
            }
        }
        (errors.is_empty() || !before).then(|| Self {
            args,
            output: None,
            note: None,
            span: call.func.span(),
        })
    }

    /// Adds what one method says.
    fn with(mut self, call: &ExprMethodCall, errors: &mut Errors) -> Option<Self> {
        let method = call.method.unraw().to_string();
        let given = match (&*method, call.args.len()) {
            ("output" | "note", 1) => call.args.first()?,
            ("output" | "note", _) => {
                errors.at(&call.method, "this takes one value: `.output(42)`, `.note(\"An easy one.\")`");
                return None;
            }
            _ => {
                let unknown = suggest::unknown("part of an example", &method, &["output", "note"]);
                errors.at(&call.method, unknown);
                return None;
            }
        };
        let twice = if method == "output" { self.output.is_some() } else { self.note.is_some() };
        if twice {
            errors.at(&call.method, format_args!("`{method}` is given twice; keep one of them"));
            return None;
        }
        if method == "output" {
            self.output = Some(given.clone());
            return Some(self);
        }
        match given {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => self.note = Some(text.clone()),
            other => {
                errors.at(other, "text in quotes is wanted here: `.note(\"An easy one.\")`");
                return None;
            }
        }
        Some(self)
    }

    /// The example as a value, with those of its arguments that are there.
    fn value(&self, params: &[&Param]) -> TokenStream {
        let args = self.args.iter().filter_map(|(name, given)| {
            let param = params.iter().find(|param| param.ident.unraw() == name.unraw())?;
            let (name, given) = (&param.name, show(&given.to_token_stream()));
            Some(quote!(.with(#name, #given)))
        });
        let output = self.output.as_ref().map(|given| {
            let given = show(&given.to_token_stream());
            quote!(.giving(#given))
        });
        let note = self.note.as_ref().map(|text| quote!(.note(#text)));
        quote!(<__rt::ToolExample as ::core::default::Default>::default() #(#args)* #output #note)
    }

    /// A line of documentation.
    fn documented(&self) -> String {
        let words = |given: &Expr| given.to_token_stream().to_string().replace('`', "'");
        let args: Vec<_> =
            self.args.iter().map(|(name, given)| format!("{name} = {}", words(given))).collect();
        let mut line = format!("\n- `({})`", args.join(", "));
        if let Some(given) = &self.output {
            line.push_str(&format!(" gives `{}`", words(given)));
        }
        if let Some(note) = &self.note {
            // The note is code: in plain text, rustdoc reads `Vec<u8>` as HTML and `[x]` as a link.
            let note = note.value().replace('`', "'");
            line.push_str(&format!(": `{}`", note.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        line
    }
}

/// The examples as values, with those of their arguments that there are.
pub(super) fn values(examples: &[Example], params: &[&Param]) -> Vec<TokenStream> {
    examples.iter().map(|example| example.value(params)).collect()
}

/// The examples as documentation.
pub(super) fn documented(examples: &[Example]) -> String {
    let lines: String = examples.iter().map(Example::documented).collect();
    if lines.is_empty() { lines } else { format!("\n\n# Examples of calls\n{lines}") }
}

/// Returns whether this is `example(..)`.
fn is_example(call: &ExprCall) -> bool {
    matches!(&*call.func, Expr::Path(path) if path.path.is_ident("example"))
}
