//! The options of `#[turn_hook(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Path, Type};

use crate::diag::Errors;
use crate::keys::keys;
use crate::middleware::{self, MiddlewareKind, TurnPlace};
use crate::option::{Table, WrittenOption};

keys! {
    /// The options of `#[turn_hook(..)]`.
    pub(super) struct Options from option: WrittenOption<'_> {
        /// `before_llm_call` | the hook runs before the model is asked, and gets the request
        "before_llm_call" => before_llm_call: Option<Span> = Some(option.alone("write the place alone")?);
        /// `after_llm_call` | the hook gets the answer of the model
        "after_llm_call" => after_llm_call: Option<Span> = Some(option.alone("write the place alone")?);
        /// `before_tool_call` | the hook runs before a call of the model, and gets the call
        "before_tool_call" => before_tool_call: Option<Span> = Some(option.alone("write the place alone")?);
        /// `after_tool_call` | the hook gets a call and its result
        "after_tool_call" => after_tool_call: Option<Span> = Some(option.alone("write the place alone")?);
        /// `after_turn_complete` | the hook runs at the end of a turn, and gets its messages
        "after_turn_complete" => after_turn_complete: Option<Span> = Some(option.alone("write the place alone")?);
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        "state" => state: Option<Type> = Some(option.ty("state = Ledger")?);
        /// `crate = path` | where this crate is, if another library re-exports it
        "crate" => crate_path: Option<Path> = Some(option.path("crate = my_onionskin")?);
        /// `type_name = OneCall` | another name for the type beside the function
        "type_name" => type_name: Option<Ident> = Some(option.name("type_name = OneCall")?);
    }
}

const TABLE: Table<Options> = Table {
    literal: Some("write options without quotes: `before_llm_call`"),
    types: &["state"],
    ..Table::new("option", Options::KEYS)
};

const WHERE: &str = "say where it runs: `#[turn_hook(before_llm_call)]`, `after_llm_call`, `before_tool_call`, `after_tool_call` or \
                     `after_turn_complete`";

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> middleware::Options {
    let mut options = Options::default();
    let before = errors.is_empty();
    let seen = TABLE.read(&mut options, tokens, errors);
    let place = |key: &String| TurnPlace::ALL.into_iter().find(|place| place.method() == key);
    let mut places = seen.iter().filter_map(place);
    let first = places.next();
    if let Some(second) = places.next() {
        let span = match second {
            TurnPlace::BeforeLlm => options.before_llm_call,
            TurnPlace::AfterLlm => options.after_llm_call,
            TurnPlace::BeforeTool => options.before_tool_call,
            TurnPlace::AfterTool => options.after_tool_call,
            TurnPlace::AfterTurn => options.after_turn_complete,
        };
        let message = "a function runs at one place: write two functions, or `impl TurnHook` for a type";
        errors.push(span.unwrap_or_else(Span::call_site), message);
    }
    if first.is_none() && before && errors.is_empty() {
        errors.push(Span::call_site(), WHERE);
    }
    middleware::Options {
        // Read as one of them where it says none.
        kind: MiddlewareKind::Turn(first.unwrap_or(TurnPlace::BeforeLlm)),
        crate_path: options.crate_path,
        type_name: options.type_name,
        state: options.state,
        ..middleware::Options::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a9_the_documentation_lists_each_option_as_the_table_has_it() {
        crate::keys::assert_documented("turn_hook.md", "# Options", super::Options::KEYS);
        crate::keys::assert_shown("turn_hook", super::Options::KEYS);
    }
}
