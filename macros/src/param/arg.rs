//! The options of `#[arg(..)]` on a parameter.

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Meta};

use super::limits::{Bounds, LENGTH, Pattern, RANGE};
use crate::diag::Errors;
use crate::keys::keys;
use crate::option::{Table, WrittenOption};

/// The replacement for a missing value.
pub(crate) enum Fallback {
    /// `default`: the type's own.
    OfType(Span),
    /// `default = ..`
    Expr(Box<Expr>),
}

keys! {
    /// The options of `#[arg(..)]`.
    pub(crate) struct Arg from option: WrittenOption<'_> {
        /// `#[arg(default = 5)]`, `#[arg(default)]` | the value of a missing argument; without a value the `Default` of the type
        "default" => default: Option<Fallback> = Some(default(option)?);
        /// `#[arg(rename = "from")]` | the name that the model sees
        "rename" => rename: Option<LitStr> = Some(rename(option)?);
        /// `#[arg(range(0..=9))]` | limits of a number: `a..=b`, `a..b`, `a..`, `..=b`
        "range" => range: Option<Bounds> = Some(RANGE.read(option));
        /// `#[arg(length(1..=80))]` | limits of a text's characters, a list's items, a map's entries
        "length" => length: Option<Bounds> = Some(LENGTH.read(option));
        /// `#[arg(pattern = "^[a-z]+$")]` | a regular expression (of the `regex-lite` crate) that matches somewhere in the text
        "pattern" => pattern: Option<Pattern> = Some(Pattern::read(option)?);
        /// `#[arg(example = "Oslo")]` | an example for the model
        "example" => example: Option<Expr> = Some(option.value("example = 5")?);
        /// `#[arg(skip)]` | not shown to the model; the value is the default
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

fn default(option: &WrittenOption<'_>) -> syn::Result<Fallback> {
    match option.meta {
        Meta::Path(path) => Ok(Fallback::OfType(path.span())),
        _ => Ok(Fallback::Expr(Box::new(option.value("default = 5")?))),
    }
}

fn rename(option: &WrittenOption<'_>) -> syn::Result<LitStr> {
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
        crate::keys::assert_shown("arg", Arg::KEYS);
    }
}
