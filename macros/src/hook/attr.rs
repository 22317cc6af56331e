//! The options of `#[tool_hook(..)]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Meta, Token};

use crate::diag::Errors;
use crate::middleware;
use crate::option::{each_option, name, path};
use crate::suggest;

/// How a hook stands to the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Around,
    Before,
    After,
}

#[derive(Default)]
pub(super) struct Options {
    pub(super) form: Option<(Form, Span)>,
    pub(super) common: middleware::Options,
}

const KEYS: &[&str] = &["around", "before", "after", "tool", "state", "crate", "type_name"];

impl Options {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        if let Some(TokenTree::Literal(literal)) = tokens.clone().into_iter().next() {
            errors.at(literal, "options stand without quotes: `around`, `before`, `after`, `tool = add_one`");
            return options;
        }
        let parsed = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens);
        each_option(parsed, errors, |key, meta, errors| options.read(key, meta, errors));
        options
    }

    fn read(&mut self, key: &str, meta: &Meta, errors: &mut Errors) {
        match key {
            "around" => self.form(Form::Around, meta, errors),
            "before" => self.form(Form::Before, meta, errors),
            "after" => self.form(Form::After, meta, errors),
            "tool" => {
                self.common.is_typed = true;
                self.common.tool = path(meta, "tool = add_one", errors);
            }
            "crate" => self.common.crate_path = path(meta, "crate = my_onionskin", errors),
            "state" => self.common.state = path(meta, "state = Ledger", errors),
            "type_name" => self.common.type_name = name(meta, "type_name = Audit", errors),
            _ => errors.at(meta.path(), suggest::unknown("option", key, KEYS)),
        }
    }

    fn form(&mut self, form: Form, meta: &Meta, errors: &mut Errors) {
        if !matches!(meta, Meta::Path(_)) {
            errors.at(meta, "write the form alone: `around`, `before` or `after`");
        } else if self.form.is_some() {
            errors.at(meta, "a hook has one form: `around`, `before` or `after`");
        } else {
            self.form = Some((form, meta.span()));
        }
    }
}
