//! The options of `#[run_hook(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Path, Type};

use crate::diag::Errors;
use crate::keys::keys;
use crate::middleware::{self, MiddlewareKind};
use crate::option::{Table, WrittenOption};

keys! {
    /// The options of `#[run_hook(..)]`.
    pub(super) struct Options from option: WrittenOption<'_> {
        /// `pre` | the hook runs before the first turn, and gets the input
        "pre" => pre: Option<Span> = Some(option.alone("write `pre` alone")?);
        /// `post` | the hook runs after the last turn, and gets the answer
        "post" => post: Option<Span> = Some(option.alone("write `post` alone")?);
        /// `ignore_errors` | an error of the hook is an event, and the run goes on with the text from before the hook
        "ignore_errors" => ignore_errors: bool = option.flag()?;
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        "state" => state: Option<Type> = Some(option.ty("state = Ledger")?);
        /// `crate = path` | where this crate is, if another library re-exports it
        "crate" => crate_path: Option<Path> = Some(option.path("crate = my_onionskin")?);
        /// `type_name = OnlyQuestions` | another name for the type beside the function
        "type_name" => type_name: Option<Ident> = Some(option.name("type_name = OnlyQuestions")?);
    }
}

const TABLE: Table<Options> = Table {
    literal: Some("write options without quotes: `pre`, `post`"),
    types: &["state"],
    elsewhere: &[
        ("before", "a run hook is `pre` or `post`: write `pre`"),
        ("after", "a run hook is `pre` or `post`: write `post`"),
        ("input", "a run hook is `pre` or `post`: write `pre`, and take the input as a parameter"),
        ("output", "a run hook is `pre` or `post`: write `post`, and take the answer as a parameter"),
    ],
    ..Table::new("option", Options::KEYS)
};

const WHICH: &str = "say when it runs: `#[run_hook(pre)]` gets the input before the run, `#[run_hook(post)]` its answer after it";

/// Reads the options, and whether errors of the hook are ignored.
pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> (middleware::Options, bool) {
    let mut options = Options::default();
    let before = errors.is_empty();
    let seen = TABLE.read(&mut options, tokens, errors);
    let mut kinds = seen.iter().filter_map(|key| match key.as_str() {
        "pre" => Some((MiddlewareKind::BeforeRun, options.pre)),
        "post" => Some((MiddlewareKind::AfterRun, options.post)),
        _ => None,
    });
    let first = kinds.next();
    if let Some((_, Some(second))) = kinds.next() {
        errors.push(second, "a run hook is `pre` or `post`: write two functions for both");
    }
    if first.is_none() && before && errors.is_empty() {
        errors.push(Span::call_site(), WHICH);
    }
    let common = middleware::Options {
        // Read as one of the two where it says neither.
        kind: first.map_or(MiddlewareKind::BeforeRun, |(kind, _)| kind),
        crate_path: options.crate_path,
        type_name: options.type_name,
        state: options.state,
        ..middleware::Options::default()
    };
    (common, options.ignore_errors)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a9_the_documentation_lists_each_option_as_the_table_has_it() {
        crate::keys::assert_documented("run_hook.md", "# Options", super::Options::KEYS);
        crate::keys::assert_shown("run_hook", super::Options::KEYS);
    }
}
