//! A tool as the macro understands it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Attribute, Expr, ExprLit, FnArg, Generics, Lit, ReturnType, Type, Visibility, parse_quote};

use super::check;
use super::options::Options;
use super::ui::Ui;
use crate::diag::Errors;
use crate::docs::{self, Docs, computed};
use crate::item::{FnItem, type_ident};
use crate::param::{Param, PassedAs, borrows, refers, success_type};
use crate::paths::Runtime;
use crate::suggest;

/// The additional data of a toolbox's method.
pub(crate) struct Method {
    /// The toolbox.
    pub(crate) self_ty: Type,
    pub(crate) takes_self: bool,
}

pub(crate) struct Model {
    pub(crate) options: Options,
    pub(crate) runtime: Runtime,
    /// None for a free function.
    pub(crate) method: Option<Method>,
    /// The function.
    pub(crate) function: Ident,
    /// The type beside it, unless its name is not possible.
    pub(crate) type_name: Option<Ident>,
    pub(crate) tool_name: String,
    pub(crate) vis: Visibility,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) deprecated: bool,
    pub(crate) is_async: bool,
    /// Lifetimes only.
    pub(crate) generics: Generics,
    pub(crate) params: Vec<Param>,
    /// The return type; none for `()`.
    pub(crate) returned: Option<Type>,
    /// The text for the model.
    pub(crate) description: TokenStream,
    /// What the function's documentation says first, for the page of the type.
    pub(crate) summary: Option<TokenStream>,
    pub(crate) returns: String,
    /// The function as it was written.
    pub(crate) code: String,
    /// The component of a UI tool.
    pub(crate) ui: Option<Ui>,
}

impl Model {
    /// Reads a function, and takes our attributes and its parameters' docs off it.
    /// A method's `self_ty` is its toolbox.
    pub(crate) fn read(
        function: &mut FnItem,
        options: Options,
        self_ty: Option<&Type>,
        errors: &mut Errors,
    ) -> Self {
        let method = self_ty.map(|self_ty| Method {
            self_ty: self_ty.clone(),
            takes_self: matches!(function.sig.inputs.first(), Some(FnArg::Receiver(_))),
        });
        let may_have_type = check::item(function, &options, method.is_some(), errors);
        if check::is_opaque(function, errors) {
            function.mark_signature();
        }
        let mut params: Vec<Param> = Vec::new();
        let mut wrong = Vec::new();
        for (index, parameter) in function.sig.inputs.iter_mut().enumerate() {
            let before = errors.count();
            params.extend(Param::read(parameter, errors));
            wrong.extend((errors.count() > before).then_some(index));
        }
        function.mark_parameters(wrong);
        for (index, param) in params.iter_mut().enumerate() {
            param.name_checked(index, options.strict);
        }
        let ident = function.sig.ident.clone();
        let tool_name = check::name(&ident, &options, errors);
        let Words { description, summary, returns } = describe(function, &options, &mut params, errors);
        let before = errors.count();
        check::params(&params, &options, errors);
        if errors.count() > before {
            function.mark_signature();
        }
        check::examples(&params, &options, errors);
        let returned = match &function.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some((**ty).clone()),
        };
        let type_name = type_ident(options.type_name.as_ref().unwrap_or(&ident));
        Self {
            runtime: Runtime::new(options.crate_path.clone()),
            type_name: may_have_type.then_some(type_name),
            tool_name,
            // Code cannot name a method's type, and the toolbox may be more visible than the method.
            vis: if method.is_some() { parse_quote!(pub) } else { function.vis.clone() },
            method,
            cfgs: function.cfgs().into_iter().cloned().collect(),
            deprecated: function.attrs.iter().any(|attr| attr.path().is_ident("deprecated")),
            is_async: function.sig.asyncness.is_some(),
            generics: function.sig.generics.clone(),
            function: ident,
            params,
            returned,
            description,
            summary,
            returns,
            code: String::new(),
            ui: None,
            options,
        }
    }

    /// Returns whether the tool holds layers around its function: hooks, or stages of its life.
    pub(crate) fn is_layered(&self) -> bool {
        !self.options.hooks.is_empty() || self.options.has_stages() || self.options.on_error.is_some()
    }

    /// Returns whether typed hooks can see into the tool: its arguments and its result are owned. The result of its own hooks and
    /// stages is JSON, from which no reference can be read, not even a `'static` one.
    pub(crate) fn is_typed(&self) -> bool {
        let borrowed = |returned| borrows(returned) || self.is_layered() && refers(success_type(returned));
        !self.returned.as_ref().is_some_and(borrowed)
            && !self.params.iter().any(|param| param.form == PassedAs::Borrowing)
    }
}

/// What a function's documentation says.
struct Words {
    description: TokenStream,
    summary: Option<TokenStream>,
    returns: String,
}

/// Reads the function's documentation. Descriptions of parameters go to the parameters.
fn describe(function: &FnItem, options: &Options, params: &mut [Param], errors: &mut Errors) -> Words {
    let summary = docs::page(&function.attrs);
    let mut words = Words { description: TokenStream::new(), summary, returns: String::new() };
    let mut is_empty = false;
    match Docs::new(&function.attrs) {
        Docs::Computed(parts) => words.description = computed(&parts),
        Docs::Lines(lines) => {
            let description = if options.parse_docs.unwrap_or(true) {
                let parts = docs::parse(&lines);
                words.returns = parts.returns;
                assign(parts.params, params, errors);
                parts.description
            } else {
                docs::whole(&lines)
            };
            is_empty = description.trim().is_empty();
            words.description = quote!(#description);
        }
    }
    match &options.description {
        Some(description) => {
            if words.summary.is_none() {
                words.summary = plain(description);
            }
            words.description = quote!(#description);
        }
        // A misspelt option may have been the description.
        None if is_empty && errors.is_empty() => errors.push(
            function.sig.ident.span(),
            "the model reads a tool's description to know when to call it: write a doc comment (`/// What it does.`), \
             or `description = \"\"` to go without",
        ),
        None => {}
    }
    words
}

/// A description as documentation. It is not Markdown: rustdoc would read `Vec<u8>` as HTML and `[x]` as a link.
fn plain(description: &Expr) -> Option<TokenStream> {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = description else { return None };
    let text = text.value();
    let text = text.trim();
    (!text.is_empty()).then(|| {
        let fenced = format!("````text\n{text}\n````");
        quote!(#fenced)
    })
}

fn assign(entries: Vec<docs::ParamDoc>, params: &mut [Param], errors: &mut Errors) {
    for entry in entries {
        let named = |param: &&mut Param| {
            param.ident.unraw() == entry.name.as_str() || (param.is_model() && param.name == entry.name)
        };
        if let Some(param) = params.iter_mut().find(named) {
            if !param.has_description {
                let text = entry.text;
                param.has_description = !text.is_empty();
                param.description = quote!(#text);
            }
            continue;
        }
        let known: Vec<String> = params.iter().map(|param| param.ident.unraw().to_string()).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let more = match suggest::nearest(&entry.name, known.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if known.is_empty() => "; this tool takes none".to_owned(),
            None => format!("; there are: {}", known.join(", ")),
        };
        errors.push(
            entry.span,
            format_args!("the docs describe `{}`, but there is no such parameter{more}", entry.name),
        );
    }
}
