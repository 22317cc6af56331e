//! `examples = [example(x = 41).output(42).note("..")]`: examples of calls.

use darling::Result;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprLit, ExprMethodCall, Lit, LitStr, Meta};

use super::values::show;
use crate::option::{each, error_at, read};
use crate::param::Param;
use crate::suggest;

/// An example of a call.
pub(crate) struct Example {
    pub(crate) args: Vec<(Ident, Expr)>,
    output: Option<Expr>,
    note: Option<LitStr>,
    pub(crate) span: Span,
}

impl Example {
    fn read(entry: &Expr) -> Result<Self> {
        match entry {
            Expr::Call(call) if is_example(call) => Self::from_call(call),
            Expr::MethodCall(call) => Self::read(&call.receiver)?.with(call),
            other => Err(error_at(other, "expected an example of a call, such as ")),
        }
    }

    fn from_call(call: &ExprCall) -> Result<Self> {
        let args = each(&call.args, |arg| match arg {
            Expr::Assign(pair) => match &*pair.left {
                Expr::Path(name) if let Some(name) = name.path.get_ident() => {
                    Ok((name.clone(), (*pair.right).clone()))
                }
                other => Err(error_at(other, "expected the name of a parameter: `example(x = 41)`")),
            },
            other => Err(error_at(other, "name the parameter that this is for: `example(x = 41)`")),
        })?;
        Ok(Self { args, output: None, note: None, span: call.func.span() })
    }

    /// Adds what one method says.
    fn with(mut self, call: &ExprMethodCall) -> Result<Self> {
        let method = call.method.unraw().to_string();
        let wrong = |message: &str| Err(error_at(&call.method, message));
        let is_given = match &*method {
            "output" => self.output.is_some(),
            "note" => self.note.is_some(),
            _ => return wrong(&suggest::unknown("example part", &method, &["output", "note"])),
        };
        let Some((given, 1)) = call.args.first().map(|given| (given, call.args.len())) else {
            return wrong("this takes one value: `.output(42)`, `.note(\"An easy one.\")`");
        };
        if is_given {
            return wrong(&format!("`{method}` is given twice; keep one of them"));
        }
        match given {
            given if method == "output" => self.output = Some(given.clone()),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => self.note = Some(text.clone()),
            other => {
                return Err(error_at(other, "expected text in quotes: `.note(\"An easy one.\")`"));
            }
        }
        Ok(self)
    }

    /// The example as a value, with its present arguments.
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

/// Reads the option `examples`.
pub(super) fn list(meta: &Meta) -> Result<Vec<Example>> {
    each(read::list(meta)?, |entry| Example::read(&entry))
}

/// The examples as values, with their present arguments.
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
