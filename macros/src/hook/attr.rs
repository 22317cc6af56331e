//! The options of `#[tool_hook(..)]`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Meta, Path, Token};

use crate::diag::Errors;
use crate::item::each_option;
use crate::suggest;

/// How a hook stands to the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Around,
    Before,
    After,
}

/// What the function is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    #[default]
    Hook,
    /// A guardrail over arguments.
    Input,
    /// A guardrail over outputs.
    Output,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Input | Self::Output => "guardrail",
        }
    }

    /// The attribute's name.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Hook => "tool_hook",
            Self::Input | Self::Output => "guardrail",
        }
    }
}

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) kind: Kind,
    pub(crate) form: Option<(Form, Span)>,
    /// Whether a tool is given, rightly or not.
    pub(crate) is_typed: bool,
    /// The tool of a typed hook.
    pub(crate) tool: Option<Path>,
    pub(crate) crate_path: Option<Path>,
    pub(crate) type_name: Option<Ident>,
    /// The agent's state, for `#[bind(..)]`.
    pub(crate) state: Option<Path>,
}

const KEYS: &[&str] = &["around", "before", "after", "tool", "state", "crate", "type_name"];

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
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
                self.is_typed = true;
                self.tool = path(meta, "tool = add_one", errors);
            }
            "crate" => self.crate_path = path(meta, "crate = my_onionskin", errors),
            "state" => self.state = path(meta, "state = Ledger", errors),
            "type_name" => self.type_name = name(meta, "type_name = Audit", errors),
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

/// The one word of `key = word`.
pub(crate) fn name(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Ident> {
    let path = path(meta, example, errors)?;
    let ident = path.get_ident().cloned();
    if ident.is_none() {
        errors.at(path, format_args!("a name is wanted here: `{example}`"));
    }
    ident
}

pub(crate) fn path(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Path> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Path(value) = &pair.value
    {
        return Some(value.path.clone());
    }
    let value = match meta {
        Meta::NameValue(pair) => pair.value.span(),
        other => other.span(),
    };
    errors.push(value, format_args!("a path is wanted here: {}", suggest::unquoted(meta, example)));
    None
}
