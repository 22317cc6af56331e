//! `#[tool_hook]`: parse -> model -> check -> expand.

mod check;
mod expand;
mod options;
mod ring;
mod typed;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diag::Errors;
use crate::item::{FnItem, not_a_function, take_other_mark};
use crate::middleware::{Middleware, MiddlewareKind, stand_in, tool_alias};

/// Expands the attribute. The function is always given back, its own attributes taken off, whatever is wrong.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<FnItem>(item.clone()) else {
        // rustc reports an item that does not parse. We report an item that is not a function.
        return not_a_function(&item, "tool_hook", "`impl onionskin::Hook for ..`").unwrap_or(item);
    };
    if !function.has_body() {
        let error = function.declared_method(MiddlewareKind::Hook.method());
        return quote!(#function #error);
    }
    let mut errors = Errors::default();
    let other = take_other_mark(&mut function, "tool_hook", &mut errors);
    let mut of_options = Errors::default();
    let (options, written) = options::parse(options, &mut of_options);
    if !of_options.is_empty() {
        errors.extend(of_options);
        // What the function takes depends on its options.
        errors.close();
    }
    let hook = Middleware::read(
        &mut function,
        options,
        |function, parameters, options, errors| {
            let form = check::form(parameters, written, errors)?;
            check::of_form(function, form, parameters, options, errors);
            Some(form)
        },
        &mut errors,
    );
    if let Some((mut hook, form)) = hook
        && errors.is_empty()
    {
        let tool = tool_alias(&hook.name);
        hook.rename_tool(&mut function.sig, &tool);
        let generated = expand::expand(&hook, form);
        return quote!(#function #generated);
    }
    // The type is written all the same, so that `agent!` does not report it as missing.
    // Beside a method it cannot: an `impl` holds no types.
    let stand_in = function.sig.receiver().is_none().then(|| stand_in(&function));
    let errors = errors.into_tokens();
    // Without the generated code, rustc would warn about an unused function.
    quote!(#[allow(unused)] #function #stand_in #other #errors)
}
