//! Checks of a tool's function. Each reports its error at the wrong token.

use onionskin_vocabulary::LONGEST_TOOL_NAME;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{
    FnArg, GenericParam, Item, Receiver, ReceiverKind, ReturnType, Safety, Type, TypeImplTrait,
    TypeParamBound,
};

use super::options::Options;
use crate::diag::Errors;
use crate::injected::argument;
use crate::item::{self, FnItem, is_reserved};
use crate::param::Param;

/// The item, with an error that it is not a function.
pub(crate) fn not_a_function(item: &TokenStream) -> Option<TokenStream> {
    let parsed = syn::parse2::<Item>(item.clone()).ok()?;
    let (at, message) = match &parsed {
        Item::Impl(item) => (
            item.self_ty.to_token_stream(),
            "write `#[toolbox]` on an `impl` block, and `#[tool]` on the methods that are tools",
        ),
        Item::Mod(item) => (item.ident.to_token_stream(), "write `#[tool]` on the functions in the module"),
        Item::Struct(item) => (item.ident.to_token_stream(), ON_TYPE),
        Item::Enum(item) => (item.ident.to_token_stream(), ON_TYPE),
        other => (other.to_token_stream(), "`#[tool]` belongs on a function"),
    };
    let error = syn::Error::new_spanned(at, message).into_compile_error();
    Some(quote!(#item #error))
}

pub(crate) const METHOD: &str = "a method is a tool of its toolbox: write `#[toolbox]` on the `impl` block";

const ON_TYPE: &str = "`#[tool]` belongs on a function; for a type write `impl onionskin::Tool for ..`";

/// Returns whether this is a hook's function: it takes the rest of the call.
pub(crate) fn is_hook(function: &FnItem, errors: &mut Errors) -> bool {
    let next = function.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) => match &*typed.ty {
            Type::ImplTrait(open) => open.bounds.iter().find_map(|bound| match bound {
                TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| &last.ident),
                _ => None,
            }),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let Some(next) = next.filter(|next| **next == "Next" || **next == "TypedNext") else { return false };
    errors.at(next, "a function that takes the rest of a call is a hook: write `#[tool_hook]` on it");
    true
}

/// Takes another of our attributes off, or this one where it is written again, and reports it. Returns a use of the attribute's name.
pub(crate) fn take_other_mark(function: &mut FnItem, is_ui: bool, errors: &mut Errors) -> TokenStream {
    let own = if is_ui { "ui_tool" } else { "tool" };
    let mut uses = TokenStream::new();
    function.attrs.retain(|attr| {
        let name = attr.path().segments.last().map(|last| last.ident.to_string());
        let Some(name) = name.filter(|name| name == "tool" || name == "ui_tool") else { return true };
        if name == own {
            errors.at(attr, format_args!("`#[{own}]` is here twice; write all options in one"));
        } else {
            errors.at(attr, "a UI tool is a tool: write all options in one `#[ui_tool(..)]`");
            uses.extend(item::used(attr));
        }
        errors.close();
        false
    });
    uses.extend(item::take_other_mark(function, own, errors));
    uses
}

/// Returns whether a program, or a part of one, begins in the function.
fn is_main(function: &FnItem) -> bool {
    function.sig.ident == "main"
}

/// Checks the function, and returns whether it can have a type beside it.
pub(crate) fn item(function: &FnItem, options: &Options, is_method: bool, errors: &mut Errors) -> bool {
    let sig = &function.sig;
    if !is_method && is_main(function) {
        errors.at(
            &sig.ident,
            "a program begins in `main`, and a model does not call it: write `#[tool]` on another function",
        );
    }
    if let Some(token) = &sig.constness {
        errors.at(token, "a tool runs when the model calls it; remove `const`");
    }
    match &sig.safety {
        Safety::Unsafe(token) => {
            errors
                .at(token, "a model may call a tool with any arguments, so it must be safe; remove `unsafe`");
        }
        Safety::Safe(token) => errors.at(token, "remove `safe`"),
        Safety::Default => {}
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, "a tool must be a plain Rust function; remove `extern`");
    }
    if let Some(variadic) = &sig.variadic {
        errors.at(variadic, "a tool's parameters are fixed; take a list: `items: Vec<T>`");
    }
    for param in &sig.generics.params {
        match param {
            GenericParam::Type(param) => errors.at(
                &param.ident,
                "the model fills concrete types, so a tool cannot be generic: write a concrete type",
            ),
            GenericParam::Const(param) => {
                errors.at(&param.ident, "a tool cannot be generic: write the number itself");
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        if !is_method {
            errors.at(receiver.self_token, METHOD);
            return false;
        }
        shared(receiver, errors);
    }
    if let (Some(blocking), true) = (options.blocking, sig.asyncness.is_some()) {
        errors.push(blocking, "`blocking` is for functions that are not `async`: remove one of the two");
    }
    // rustc reports an `.await` without `async`.
    if let (Some(timeout), None, None, None, false) =
        (&options.timeout, options.blocking, options.external, sig.asyncness, function.awaits())
    {
        errors.push(
            timeout.key,
            "`timeout` cannot stop a function that is not `async`: add `blocking`, so that it runs on a thread of its own, or make it `async`",
        );
    }
    // A method's type is out of sight.
    is_method || type_name(function, options, errors)
}

/// Reports an opaque type in the result, and returns whether there is one.
pub(crate) fn is_opaque(function: &FnItem, errors: &mut Errors) -> bool {
    let before = errors.count();
    if let ReturnType::Type(_, ty) = &function.sig.output {
        Opaque(errors).visit_type(ty);
    }
    errors.count() > before
}

/// A toolbox's method borrows the toolbox.
fn shared(receiver: &Receiver, errors: &mut Errors) {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Reference(_, _, Some(_)) => errors.at(
            receiver,
            "the tools of a toolbox run at the same time: take `&self`, and keep what changes behind a lock \
             (`Mutex`) or in an atomic",
        ),
        _ => errors.at(receiver, "the toolbox is shared by all its tools: take `&self`"),
    }
}

/// `impl Trait` as a result.
struct Opaque<'e>(&'e mut Errors);

impl<'ast> Visit<'ast> for Opaque<'_> {
    fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
        let words = ty.to_token_stream().to_string();
        let message = if words.contains("Future") {
            "write an `async fn` that returns what the future gives"
        } else {
            "name the type that the tool returns: its schema comes from it"
        };
        self.0.at(ty, message);
        visit::visit_type_impl_trait(self, ty);
    }
}

fn type_name(function: &FnItem, options: &Options, errors: &mut Errors) -> bool {
    let ident = options.type_name.as_ref().unwrap_or(&function.sig.ident);
    let name = ident.unraw().to_string();
    if !is_reserved(&name) {
        return true;
    }
    errors.push(
        ident.span(),
        format_args!(
            "a tool's type cannot be called `{name}`, which is one of Rust's own names: write \
             `#[tool(type_name = {})]`, or rename the function",
            camel(&name)
        ),
    );
    false
}

fn camel(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).chain("Tool".chars()).collect()
}

/// The tool's name, in the characters that every provider takes.
pub(crate) fn name(function: &Ident, options: &Options, errors: &mut Errors) -> String {
    let name = options.name.as_ref().map_or_else(|| function.unraw().to_string(), syn::LitStr::value);
    let span = options.name.as_ref().map_or(function.span(), syn::LitStr::span);
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let hint = if options.name.is_none() { "; write `#[tool(name = \"..\")]`" } else { "" };
    if name.is_empty() {
        errors.push(span, "a tool needs a name: write one, or remove `name`");
    } else if let Some(wrong) = name.chars().find(|c| !legal(*c)) {
        let wrong = if wrong == ' ' { "a space".to_owned() } else { format!("`{wrong}`") };
        errors.push(
            span,
            format_args!(
                "a tool's name may contain only the letters A to Z, digits, `_` and `-`: providers refuse {wrong}{hint}"
            ),
        );
    } else if name.len() > LONGEST_TOOL_NAME {
        errors.push(
            span,
            format_args!(
                "a tool's name must have at most {LONGEST_TOOL_NAME} characters, or providers refuse it; this one has {}{hint}",
                name.len()
            ),
        );
    }
    name
}

/// Checks the parameters together.
pub(crate) fn params(params: &[Param], options: &Options, errors: &mut Errors) {
    let shown: Vec<&Param> = params.iter().filter(|param| param.is_model()).collect();
    for (at, param) in shown.iter().enumerate() {
        // Parameters under `#[cfg]` may share a name, because only one of them is compiled.
        let twin = shown[..at].iter().find(|other| other.name == param.name && other.cfgs.is_empty());
        if let (Some(_), true) = (twin, param.cfgs.is_empty()) {
            let message =
                format!("two parameters are called `{}` in the schema; rename one of them", param.name);
            match &param.arg.rename {
                Some(rename) => errors.at(rename, message),
                None => errors.at(&param.ident, message),
            }
        }
        if let Some(borrowed) = list_of_borrowed(&param.ty) {
            let owned = borrowed.to_token_stream().to_string().replace(' ', "");
            let owned = if owned == "str" { "String" } else { &*owned };
            errors.at(
                &param.ty,
                format_args!("a borrowed list must hold owned values: take `&[{owned}]` or `Vec<{owned}>`"),
            );
        }
    }
    let mut first: Option<String> = options.state.as_ref().map(|state| state.to_token_stream().to_string());
    let field = params.iter().find_map(Param::bound_field);
    // A wrong option may have been the state.
    let known = !errors.is_empty() || params.iter().any(|param| state_of(param).is_some());
    if let (Some(field), None, false) = (field, &first, known) {
        errors.at(field, "name the agent's state, which has this field: `#[tool(state = Ledger)]`");
    }
    for (param, state) in params.iter().filter_map(|param| Some((param, state_of(param)?))) {
        let words = state.to_token_stream().to_string();
        match &first {
            Some(other) if *other != words => errors.at(
                &param.ty,
                format_args!(
                    "an agent has one state, and this tool already takes `State<{}>`",
                    other.replace(' ', "")
                ),
            ),
            Some(_) => {}
            None => first = Some(words),
        }
    }
    let mut kinds: Vec<String> = params.iter().flat_map(|param| &param.cfgs).map(cfg_words).collect();
    kinds.sort();
    kinds.dedup();
    if kinds.len() > MOST_CFGS
        && let Some(param) = params.iter().rev().find(|param| !param.cfgs.is_empty())
    {
        errors.at(
            &param.ident,
            format_args!(
                "a tool's parameters can have {MOST_CFGS} different `#[cfg]`s at most; split the tool"
            ),
        );
    }
}

/// The `T` of a `&[&T]`. No value would own these `T`s.
fn list_of_borrowed(ty: &Type) -> Option<&Type> {
    let Type::Reference(list) = ty else { return None };
    let Type::Slice(list) = &*list.elem else { return None };
    let Type::Reference(value) = &*list.elem else { return None };
    Some(&value.elem)
}

/// Checks the names of the arguments in examples.
pub(crate) fn examples(params: &[Param], options: &Options, errors: &mut Errors) {
    let name = |param: &Param| param.ident.unraw().to_string();
    let shown: Vec<String> = params.iter().filter(|param| param.is_model()).map(name).collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    for example in &options.examples {
        for (at, (given, _)) in example.args.iter().enumerate() {
            let word = given.unraw().to_string();
            if example.args[..at].iter().any(|(other, _)| other.unraw() == word.as_str()) {
                errors.at(given, format_args!("`{word}` is in this example twice; keep one of them"));
                continue;
            }
            match params.iter().find(|param| name(param) == word) {
                Some(param) if param.is_model() => {}
                Some(_) => errors.at(
                    given,
                    format_args!(
                        "the model does not fill `{word}`, so an example does not show it: remove it"
                    ),
                ),
                None if shown.is_empty() => {
                    errors.at(given, "this tool takes no arguments: write `example()`");
                }
                None => errors.at(given, crate::suggest::unknown("parameter", &word, &shown)),
            }
        }
        let missing = params.iter().find(|param| {
            param.is_model()
                && param.cfgs.is_empty()
                && param.is_surely_required()
                && !example.args.iter().any(|(given, _)| given.unraw() == name(param).as_str())
        });
        if let (Some(param), true) = (missing, errors.is_empty()) {
            let message = format!("this example leaves out `{}`, which every call needs", name(param));
            errors.push(example.span, message);
        }
    }
}

/// Each one doubles the code that is written.
const MOST_CFGS: usize = 4;

pub(crate) fn cfg_words(attr: &syn::Attribute) -> String {
    attr.meta.to_token_stream().to_string()
}

/// `T` of an injected `State<T>`.
pub(crate) fn state_of(param: &Param) -> Option<&syn::Type> {
    if !param.is_injected() {
        return None;
    }
    argument(param.requested(), "State")
}
