//! What a workflow says of an agent beyond its fields. Only the text of a workflow has it, in fields of its own: `__words` with the words
//! for tools in place of those of their code, `[(0, "say", (.name("say")))]`, each with the index of a tool, the name that it changes, and
//! calls on `ToolWords`; and `__until` with the text that ends a run.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{LitInt, LitStr, Token, bracketed, parenthesized};

/// The field with the words.
pub(crate) const WORDS: &str = "__words";

/// The field with the text that ends a run.
pub(crate) const UNTIL: &str = "__until";

/// What a workflow says of an agent.
#[derive(Default)]
pub(super) struct WorkflowAgent {
    words: Vec<Words>,
    until: Option<LitStr>,
}

/// The words for a tool.
struct Words {
    /// The tool's index in `function_tools`.
    index: usize,
    /// The name that models see; empty for the tool's own.
    name: LitStr,
    /// The calls that make the words.
    calls: TokenStream,
}

impl Parse for Words {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (content, calls);
        parenthesized!(content in input);
        let index = content.parse::<LitInt>()?.base10_parse()?;
        content.parse::<Token![,]>()?;
        let name = content.parse()?;
        content.parse::<Token![,]>()?;
        parenthesized!(calls in content);
        Ok(Self { index, name, calls: calls.parse()? })
    }
}

impl WorkflowAgent {
    /// Reads a field, if it is one of these.
    pub(super) fn read(&mut self, field: &str, input: ParseStream<'_>) -> Option<syn::Result<()>> {
        match field {
            WORDS => Some(self.read_words(input)),
            UNTIL => Some(self.read_until(input)),
            _ => None,
        }
    }

    fn read_words(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        input.parse::<Token![:]>()?;
        let content;
        bracketed!(content in input);
        self.words.extend(Punctuated::<Words, Token![,]>::parse_terminated(&content)?);
        Ok(())
    }

    fn read_until(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        input.parse::<Token![:]>()?;
        self.until = Some(input.parse()?);
        Ok(())
    }

    /// Whether tools can have other names than their types.
    pub(super) fn renames(&self) -> bool {
        self.words.iter().any(|words| !words.name.value().is_empty())
    }

    /// The name of a tool that models see, if it is not the tool's own.
    pub(super) fn name_of(&self, index: usize) -> Option<&LitStr> {
        let words = self.words.iter().find(|words| words.index == index)?;
        (!words.name.value().is_empty()).then_some(&words.name)
    }

    /// Adds it to the declaration.
    pub(super) fn declared(&self) -> TokenStream {
        let words = self.words.iter().map(|Words { index, calls, .. }| {
            quote!(let __agent = __agent.compiled_words(#index, __rt::ToolWords::new() #calls);)
        });
        let until = self.until.iter().map(|text| quote!(let __agent = __agent.until(#text);));
        quote!(#(#words)* #(#until)*)
    }
}
