//! The options of `#[guardrail(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Path, Type};

use crate::diag::Errors;
use crate::keys::keys;
use crate::middleware::{self, MiddlewareKind};
use crate::option::{Table, WrittenOption};

keys! {
    /// The options of `#[guardrail(..)]`.
    pub(super) struct Options from option: WrittenOption<'_> {
        /// `input` | the guardrail checks the arguments, before the tool runs
        "input" => input: Option<Span> = Some(option.alone("write `input` alone")?);
        /// `output` | the guardrail checks the output
        "output" => output: Option<Span> = Some(option.alone("write `output` alone")?);
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        "state" => state: Option<Type> = Some(option.ty("state = Ledger")?);
        /// `crate = path` | where this crate is, if another library re-exports it
        "crate" => crate_path: Option<Path> = Some(option.path("crate = my_onionskin")?);
        /// `type_name = NoThirteen` | another name for the type beside the function
        "type_name" => type_name: Option<Ident> = Some(option.name("type_name = NoThirteen")?);
    }
}

const TABLE: Table<Options> = Table {
    literal: Some("write options without quotes: `input`, `output`"),
    types: &["state"],
    ..Table::new("option", Options::KEYS)
};

const WHICH: &str = "say what it looks at: `#[guardrail(input)]` looks at the arguments before the tool runs, \
                     `#[guardrail(output)]` at its output";

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> middleware::Options {
    let mut options = Options::default();
    let before = errors.is_empty();
    let seen = TABLE.read(&mut options, tokens, errors);
    let mut kinds = seen.iter().filter_map(|key| match key.as_str() {
        "input" => Some((MiddlewareKind::Input, options.input)),
        "output" => Some((MiddlewareKind::Output, options.output)),
        _ => None,
    });
    let first = kinds.next();
    if let Some((_, Some(second))) = kinds.next() {
        errors.push(
            second,
            "a guardrail looks at the `input` or at the `output`: write two functions for both",
        );
    }
    if first.is_none() && before && errors.is_empty() {
        errors.push(Span::call_site(), WHICH);
    }
    middleware::Options {
        // Read as one of the two where it says neither.
        kind: first.map_or(MiddlewareKind::Input, |(kind, _)| kind),
        crate_path: options.crate_path,
        type_name: options.type_name,
        state: options.state,
        ..middleware::Options::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn l1_the_documentation_lists_each_option_as_the_table_has_it() {
        crate::keys::assert_documented("guardrail.md", "# Options", super::Options::KEYS);
        crate::keys::assert_shown("guardrail", super::Options::KEYS);
    }
}
