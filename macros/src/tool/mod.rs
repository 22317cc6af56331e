//! `#[tool]`: parse -> model -> check -> expand.

mod approval_cache;
mod check;
mod example;
mod expand;
mod external;
mod full_tool;
mod make;
mod model;
mod options;
mod plain_tool;
mod policy;
mod read;
mod source;
mod statics;
mod type_checks;
mod typed;
mod ui;
mod values;

#[cfg(test)]
pub(crate) use options::Options;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use crate::diag::Errors;
use crate::item::FnItem;

/// Expands the attribute. The function is always given back, our attributes and its parameters' docs taken off,
/// whatever is wrong.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    expand_as(options, item, false)
}

/// Expands `#[ui_tool]`: a tool that shows a component.
pub(crate) fn expand_ui(options: TokenStream, item: TokenStream) -> TokenStream {
    expand_as(options, item, true)
}

fn expand_as(options: TokenStream, item: TokenStream, is_ui: bool) -> TokenStream {
    let Ok(mut function) = syn::parse2::<FnItem>(item.clone()) else {
        // rustc reports an item that does not parse. We report an item that is not a function.
        return check::not_a_function(&item).unwrap_or(item);
    };
    let has_body = function.has_body();
    if !has_body && !is_external(&options) {
        let error = function.declared_method(check::METHOD);
        return quote!(#item #error);
    }
    let mut errors = Errors::default();
    let other = check::take_other_mark(&mut function, is_ui, &mut errors);
    if check::is_hook(&function, &mut errors) {
        // It is expanded as a hook, so that the code that names it has no second error.
        let (hook, errors) =
            (crate::hook::expand(TokenStream::new(), quote!(#function)), errors.into_tokens());
        return quote!(#hook #other #errors);
    }
    let written = options.clone();
    let (ui, mut options) = read_options(options, is_ui, &function.sig.ident, &mut errors);
    external::check(&mut options, &written, &function, &mut errors);
    if !has_body {
        external::fill(&mut function, &options);
    }
    let mut model = model::Model::read(&mut function, options, None, &mut errors);
    model.ui = ui;
    if errors.is_empty() {
        model.code = source::text(&item);
        let generated = expand::expand(&model);
        return quote!(#function #generated);
    }
    let wrong = function.in_error(model.type_name.as_ref(), &model.runtime, errors);
    quote!(#wrong #other)
}

/// Reads the options of a tool, or of a UI tool with its component.
fn read_options(
    tokens: TokenStream,
    is_ui: bool,
    function: &syn::Ident,
    errors: &mut Errors,
) -> (Option<ui::Ui>, options::Options) {
    if is_ui {
        return ui::read(tokens, function, errors);
    }
    (None, options::Options::parse(tokens, errors))
}

/// Whether the options have the word `external`.
fn is_external(options: &TokenStream) -> bool {
    options.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "external"))
}

pub(crate) const EXTERNAL_METHOD: &str =
    "a method of a toolbox runs here: write an `external` tool as a free function";

/// A method of a toolbox, as the tool that it becomes.
pub(crate) struct Member {
    /// Its type, bound to the object by `bound`, and all that is implemented for it.
    pub(crate) expansion: TokenStream,
    /// The name of that type.
    pub(crate) type_name: syn::Ident,
    pub(crate) tool_name: String,
    /// The name of the method.
    pub(crate) method: String,
    /// The method as it was written.
    pub(crate) code: String,
    pub(crate) cfgs: Vec<syn::Attribute>,
}

/// Expands one method; it is left without our attributes and its parameters' docs. `others` gets a use of each wrong attribute's name.
pub(crate) fn member(
    options: TokenStream,
    is_ui: bool,
    method: &mut FnItem,
    self_ty: &syn::Type,
    crate_path: Option<&syn::Path>,
    others: &mut TokenStream,
    errors: &mut Errors,
) -> Option<Member> {
    let mut own = Errors::default();
    others.extend(check::take_other_mark(method, is_ui, &mut own));
    let code = source::text(&method.to_token_stream());
    let (ui, mut options) = read_options(options, is_ui, &method.sig.ident, &mut own);
    if options.crate_path.is_none() {
        options.crate_path = crate_path.cloned();
    }
    if let Some(external) = options.external.filter(|_| !is_ui) {
        own.push(external, EXTERNAL_METHOD);
    }
    let mut model = model::Model::read(method, options, Some(self_ty), &mut own);
    model.ui = ui;
    let is_valid = own.is_empty();
    errors.extend(own);
    let type_name = model.type_name.clone().filter(|_| is_valid)?;
    Some(Member {
        expansion: expand::expand(&model),
        type_name,
        tool_name: model.tool_name.clone(),
        method: method.sig.ident.unraw().to_string(),
        code,
        cfgs: model.cfgs.clone(),
    })
}

#[cfg(test)]
mod tests;
