//! A function as an attribute macro gets it: the signature is parsed, the body is tokens.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::visit::Visit;
use syn::{Attribute, FnArg, ReturnType, Signature, Type, Visibility, parse_quote};

use crate::diag::Errors;
use crate::number::is_primitive;
use crate::option::meta_name;
use crate::paths::Runtime;
use crate::suggest;

/// A function. Its body can be any tokens: rustc reports errors in it, and calls the macro all the same.
pub(crate) struct FnItem {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    body: TokenStream,
    /// The parameters that have a mistake, by their index.
    wrong_parameters: Vec<usize>,
    /// There is a mistake in the signature that is not one parameter's.
    is_wrong: bool,
}

impl Parse for FnItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let sig = input.parse()?;
        let body = input.parse()?;
        Ok(Self { attrs, vis, sig, body, wrong_parameters: Vec::new(), is_wrong: false })
    }
}

impl ToTokens for FnItem {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, sig, body, .. } = self;
        let has_none = sig.generics.params.is_empty() && takes_type_arguments(sig);
        let sig = if has_none { with_no_generics(sig, &sig.ident.to_string()) } else { quote!(#sig) };
        tokens.extend(quote!(#(#attrs)* #vis #sig #body));
    }
}

impl FnItem {
    /// Returns whether there is a body at all; a half-typed function has none.
    pub(crate) fn has_body(&self) -> bool {
        matches!(self.body.clone().into_iter().next(), Some(TokenTree::Group(_)))
    }

    /// Returns whether there is an `.await` in the body.
    pub(crate) fn awaits(&self) -> bool {
        awaits(self.body.clone())
    }

    /// Replaces the body.
    pub(crate) fn set_body(&mut self, body: TokenStream) {
        self.body = body;
    }

    /// The error for a method that a trait declares. It looks half typed, but it is complete, so rustc does not report it.
    pub(crate) fn declared_method(&self, message: &str) -> Option<TokenStream> {
        let receiver = self.sig.receiver()?;
        Some(syn::Error::new_spanned(receiver, message).into_compile_error())
    }

    /// Takes our attributes off a parameter.
    pub(crate) fn take_attrs(parameter: &mut FnArg, names: &[&str]) -> Vec<Attribute> {
        let attrs = match parameter {
            FnArg::Receiver(receiver) => &mut receiver.attrs,
            FnArg::Typed(typed) => &mut typed.attrs,
        };
        let (ours, theirs) = std::mem::take(attrs)
            .into_iter()
            .partition(|attr| names.iter().any(|name| attr.path().is_ident(name)));
        *attrs = theirs;
        ours
    }

    /// Notes the parameters that have a mistake, by their index.
    pub(crate) fn mark_parameters(&mut self, wrong: Vec<usize>) {
        self.wrong_parameters = wrong;
    }

    /// Notes that there is a mistake in the signature that is not one parameter's.
    pub(crate) fn mark_signature(&mut self) {
        self.is_wrong = true;
    }

    /// Writes a function with mistakes. In place of the type beside it there is an alias that is an error for rustc, the one that the
    /// macro reports, so rustc reports nothing about code that names it: lists of agents, calls, values.
    ///
    /// The body uses wrong parameters as what they are not, so they have this type too. If the mistake is not one parameter's, all of them and
    /// the result have it.
    pub(crate) fn in_error(
        mut self,
        type_name: Option<&Ident>,
        runtime: &Runtime,
        errors: Errors,
    ) -> TokenStream {
        let errors = errors.into_tokens();
        // An `impl` holds no types, and some names mean something everywhere.
        let name =
            type_name.filter(|name| self.sig.receiver().is_none() && !is_reserved(&name.unraw().to_string()));
        let Some(name) = name else { return quote!(#self #errors) };
        let (alias, rt) = (type_ident(name), runtime.private());
        for (index, input) in self.sig.inputs.iter_mut().enumerate() {
            if let FnArg::Typed(typed) = input
                && (self.is_wrong || self.wrong_parameters.contains(&index))
            {
                *typed.ty = in_error(&typed.ty, &alias, &rt);
            }
        }
        if self.is_wrong {
            self.sig.output = match &self.sig.output {
                ReturnType::Default => parse_quote!(-> #alias),
                ReturnType::Type(arrow, ty) => ReturnType::Type(*arrow, Box::new(in_error(ty, &alias, &rt))),
            };
            if self.awaits() {
                self.sig.asyncness.get_or_insert_default();
            }
        }
        let (vis, cfgs) = (&self.vis, self.cfgs());
        quote! {
            #self
            #(#cfgs)*
            #vis type #alias = <#rt::Known<{ #errors false }> as #rt::Is>::Type<()>;
        }
    }

    /// The `#[cfg]`s of the function. Generated items need them too.
    pub(crate) fn cfgs(&self) -> Vec<&Attribute> {
        self.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
    }
}

/// Returns whether a parameter of a function has a type with arguments, such as `Option<..>`.
pub(crate) fn takes_type_arguments(sig: &Signature) -> bool {
    sig.inputs.to_token_stream().to_string().contains('<')
}

/// An item with an empty list of generics behind `word`. For an unknown type in `Option<..>`, rustc proposes a type parameter of the item, but
/// not where a macro has written the list. The generated code uses the type too, and rustc shows an error once only if it proposes the same
/// for both.
pub(crate) fn with_no_generics(item: &impl ToTokens, word: &str) -> TokenStream {
    let mut tokens: Vec<_> = item.to_token_stream().into_iter().collect();
    let is_word = |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if ident == word);
    if let Some(at) = tokens.iter().position(is_word) {
        let rest = tokens.split_off(at + 1);
        tokens.extend(quote!(<>).into_iter().chain(rest));
    }
    tokens.into_iter().collect()
}

/// The alias that is an error, with a use of the type, so that rustc does not report its import as unused. An opaque type stays: it cannot be an
/// argument there.
fn in_error(ty: &Type, alias: &Ident, rt: &TokenStream) -> Type {
    struct IsOpaque(bool);
    impl<'ast> Visit<'ast> for IsOpaque {
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut is_opaque = IsOpaque(false);
    is_opaque.visit_type(ty);
    if is_opaque.0 { ty.clone() } else { parse_quote!(<#alias as #rt::Is>::Type<#ty>) }
}

/// Returns whether there is an `.await` in tokens.
fn awaits(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "await",
        TokenTree::Group(group) => awaits(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The name of the type beside a function. It resolves as the macro's and is shown as the user's, so no naming lint
/// applies.
pub(crate) fn type_ident(name: &Ident) -> Ident {
    let mut ident = name.clone();
    ident.set_span(Span::mixed_site().located_at(name.span()));
    ident
}

/// An `Option` in the generated code.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Names that a type cannot have beside a function, because they already mean something everywhere.
pub(crate) fn is_reserved(name: &str) -> bool {
    is_primitive(name) || ["str", "f16", "f128", "std", "core", "alloc"].contains(&name)
}

/// The item, with an error that it is not a function. `by_hand` is how the attribute's trait is implemented for a type.
pub(crate) fn not_a_function(item: &TokenStream, attribute: &str, by_hand: &str) -> Option<TokenStream> {
    let parsed = syn::parse2::<syn::Item>(item.clone()).ok()?;
    let message = format!("`#[{attribute}]` belongs on a function; for a type write {by_hand}");
    let error = syn::Error::new_spanned(parsed, message).into_compile_error();
    Some(quote!(#item #error))
}

/// Takes another attribute of ours off a function that has our attribute `own`, and reports it. Any other error would follow from
/// this one: the parameters fit one of the two. Returns a use of the attribute's name, so that its import is not reported.
pub(crate) fn take_other_mark(function: &mut FnItem, own: &str, errors: &mut Errors) -> TokenStream {
    const OURS: [(&str, &str); 7] = [
        ("tool", "tool"),
        ("ui_tool", "UI tool"),
        ("tool_hook", "hook"),
        ("guardrail", "guardrail"),
        ("run_hook", "run hook"),
        ("turn_hook", "turn hook"),
        ("message_hook", "message hook"),
    ];
    let name =
        |attr: &Attribute| attr.path().segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let mut uses = TokenStream::new();
    function.attrs.retain(|attr| {
        let name = name(attr);
        if name == own || OURS.iter().all(|(ours, _)| *ours != name) {
            return true;
        }
        let both: Vec<_> = OURS
            .iter()
            .filter(|(ours, _)| [own, &name].contains(ours))
            .map(|(_, word)| format!("a {word}"))
            .collect();
        errors.at(attr, format_args!("a function is {}, not both", both.join(" or ")));
        errors.close();
        uses.extend(used(attr));
        false
    });
    uses
}

/// A use of the name of an attribute that was taken off.
pub(crate) fn used(attr: &Attribute) -> TokenStream {
    let path = attr.path();
    quote!(#[allow(unused_imports)] use #path as _;)
}

/// Takes off and reports misspelt attributes of `ours`, and attributes of another macro's parameters. rustc does not know
/// them.
pub(crate) fn misspelt(
    parameter: &mut FnArg,
    ours: &[&str],
    (others, words): (&[&str], &str),
    errors: &mut Errors,
) {
    let FnArg::Typed(typed) = parameter else { return };
    typed.attrs.retain(|attr| {
        let name = meta_name(&attr.meta);
        if others.contains(&name.as_str()) {
            errors.at(attr, words);
            return false;
        }
        let meant = suggest::nearest(&name, ours.iter().copied()).filter(|meant| **meant != name);
        if let Some(meant) = meant {
            errors.at(attr, format_args!("unknown attribute `#[{name}]`; did you mean `#[{meant}]`?"));
        }
        meant.is_none()
    });
}
