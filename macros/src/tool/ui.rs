//! The options that `#[ui_tool(..)]` has in addition to `#[tool(..)]`.

use darling::FromMeta;
use onionskin_vocabulary::agent::UiMode;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, LitStr, Meta};

use super::options::{self, Options};
use crate::choice;
use crate::diag::Errors;
use crate::keys::{self, Key, Parsed};
use crate::option::{Table, error_at};

/// The component of a UI tool.
pub(crate) struct Ui {
    pub(crate) component: LitStr,
    /// The variant of the runtime's `UiMode`.
    pub(crate) mode: Ident,
    /// The text of its page.
    pub(crate) html: Option<Expr>,
}

#[derive(Default, FromMeta)]
struct UiOptions {
    #[darling(default, with = self::component)]
    component: Option<LitStr>,
    #[darling(default, with = self::mode)]
    mode: Option<Ident>,
    #[darling(default, with = self::html)]
    html: Option<Expr>,
    #[darling(flatten)]
    tool: Options,
}

impl keys::Options for UiOptions {
    fn parsed(name: &str) -> Parsed {
        if name == "component" { Parsed::Text } else { Options::parsed(name) }
    }
}

/// Reads the options of a UI tool. A missing component is reported at the function.
pub(super) fn read(tokens: TokenStream, function: &Ident, errors: &mut Errors) -> (Option<Ui>, Options) {
    let own = ["component", "mode", "html"].map(|name| Key { name, forms: "", does: "" });
    let keys = [&own[..], options::TABLE.keys].concat();
    let UiOptions { component, mode, html, mut tool } =
        Table { keys: &keys, ..options::TABLE }.read(tokens, errors);
    if component.is_none() && errors.is_empty() {
        let example = "name the component that the tool shows: `#[ui_tool(component = \"ColourPicker\")]`";
        errors.at(function, example);
    }
    tool.exclude(errors);
    check(&mut tool, errors);
    let mode = mode.unwrap_or_else(|| Ident::new("Inline", Span::call_site()));
    (component.map(|component| Ui { component, mode, html }), tool)
}

/// Reports options that a UI tool cannot have.
fn check(options: &mut Options, errors: &mut Errors) {
    if let Some(external) = options.external {
        errors.push(
            external,
            "an `external` tool runs outside of the program and shows nothing here; write `#[tool(external)]`, or remove `external`",
        );
    } else if let Some(asks) = options.asks.take() {
        errors.push(asks, "a UI tool asks by itself; remove `asks`");
    } else if let Some(blocking) = options.blocking.take() {
        errors.push(
            blocking,
            "a UI tool waits for a person, and a `blocking` function cannot be paused; write an `async` function",
        );
    }
}

fn component(meta: &Meta) -> darling::Result<Option<LitStr>> {
    match meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if !text.value().trim().is_empty() => {
                Ok(Some(text.clone()))
            }
            other => Err(error_at(
                other,
                "expected the name of a component in quotes: `component = \"ColourPicker\"`",
            )),
        },
        other => Err(error_at(
            other.path(),
            "expected the name of a component in quotes: `component = \"ColourPicker\"`",
        )),
    }
}

fn html(meta: &Meta) -> darling::Result<Option<Expr>> {
    match meta {
        Meta::NameValue(pair) => Ok(Some(pair.value.clone())),
        other => {
            Err(error_at(other.path(), "expected the text of a page: `html = include_str!(\"picker.html\")`"))
        }
    }
}

fn mode(meta: &Meta) -> darling::Result<Option<Ident>> {
    let at = match meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Path(word) if let Some(word) = word.path.get_ident() => {
                return Ok(Some(choice::variant::<UiMode>("mode", &word.to_string(), word.span())?));
            }
            other => other.to_token_stream(),
        },
        other => other.path().to_token_stream(),
    };
    Err(error_at(at, "expected one word: `mode = inline` or `mode = artifact`"))
}
