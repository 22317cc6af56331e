//! `#[tool_hook]`: parse -> model -> check -> expand.

mod check;
mod expand;
mod ring;
mod typed;

use proc_macro2::TokenStream;

use crate::middleware::{Attribute, MiddlewareKind, expand_attribute};

/// The place of a hook: around the call, before it, or after it. Its parameters show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HookPlace {
    Around,
    Before,
    After,
}

impl From<HookPlace> for MiddlewareKind {
    fn from(_: HookPlace) -> Self {
        Self::Hook
    }
}

pub(crate) const ATTRIBUTE: Attribute<HookPlace> = Attribute {
    keys: onionskin_vocabulary::options::tool_hook(),
    places: &[("around", HookPlace::Around), ("before", HookPlace::Before), ("after", HookPlace::After)],
    literal: "write options without quotes: `around`, `before`, `after`, `tool = add_one`",
    which: None,
    both: "a hook has one form: write `around`, `before` or `after`",
    elsewhere: &[],
};

/// Expands the attribute.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    expand_attribute(
        &ATTRIBUTE,
        options,
        item,
        |function, parameters, options, written, errors| {
            let form = check::form(parameters, written, errors)?;
            check::check_form(function, form, parameters, options, errors);
            Some(form)
        },
        expand::expand,
    )
}
