//! The options of `#[tool_hook(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Path, Type};

use crate::diag::Errors;
use crate::keys::keys;
use crate::middleware;
use crate::option::{Table, WrittenOption};

/// The place of a hook: around the call, before it, or after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HookPlace {
    Around,
    Before,
    After,
}

keys! {
    /// The options of `#[tool_hook(..)]`.
    pub(super) struct Options from option: WrittenOption<'_> {
        /// `around` | names the form; the compiler checks it against the signature: the hook takes the rest of the call
        "around" => around: Option<Span> = Some(option.alone(ALONE)?);
        /// `before` | the hook takes neither the rest of the call nor its result
        "before" => before: Option<Span> = Some(option.alone(ALONE)?);
        /// `after` | the hook takes the result of the call
        "after" => after: Option<Span> = Some(option.alone(ALONE)?);
        /// `tool = add_one` | makes a typed hook of this tool
        "tool" => tool: Option<Path> = Some(option.path("tool = add_one")?);
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        "state" => state: Option<Type> = Some(option.ty("state = Ledger")?);
        /// `crate = path` | where this crate is, if another library re-exports it
        "crate" => crate_path: Option<Path> = Some(option.path("crate = my_onionskin")?);
        /// `type_name = Audit` | another name for the type beside the function
        "type_name" => type_name: Option<Ident> = Some(option.name("type_name = Audit")?);
    }
}

const TABLE: Table<Options> = Table {
    literal: Some("write options without quotes: `around`, `before`, `after`, `tool = add_one`"),
    types: &["state"],
    ..Table::new("option", Options::KEYS)
};

const ALONE: &str = "write the form alone: `around`, `before` or `after`";

/// Reads the options of a hook: those that guardrails have too, and its form, where one is written.
pub(super) fn parse(
    tokens: TokenStream,
    errors: &mut Errors,
) -> (middleware::Options, Option<(HookPlace, Span)>) {
    let mut options = Options::default();
    let seen = TABLE.read(&mut options, tokens, errors);
    let mut forms = seen.iter().filter_map(|key| {
        Some(match key.as_str() {
            "around" => (HookPlace::Around, options.around?),
            "before" => (HookPlace::Before, options.before?),
            "after" => (HookPlace::After, options.after?),
            _ => return None,
        })
    });
    let form = forms.next();
    for (_, second) in forms {
        errors.push(second, "a hook has one form: `around`, `before` or `after`");
    }
    let common = middleware::Options {
        is_typed: seen.iter().any(|key| key == "tool"),
        tool: options.tool,
        crate_path: options.crate_path,
        type_name: options.type_name,
        state: options.state,
        ..middleware::Options::default()
    };
    (common, form)
}

#[cfg(test)]
mod tests {
    #[test]
    fn h1_the_documentation_lists_each_option_as_the_table_has_it() {
        crate::keys::assert_documented("tool_hook.md", "# Options", super::Options::KEYS);
        crate::keys::assert_shown("tool_hook", super::Options::KEYS);
    }
}
