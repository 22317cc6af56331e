//! From tokens to the tree. A field that does not parse is reported and passed over; the others still count.

use onionskin_vocabulary::agent::TextField;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, LitStr, Token, Visibility, braced, token};

use super::field_reader::Field;
use super::fields::{self, Fields, Name};
use super::prompt;
use super::value::{skip_all, to_next_field};
use super::workflow_agent::WorkflowAgent;
use crate::diag::Errors;

/// One agent.
pub(super) struct Agent {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) ident: Ident,
    /// The names of the fields.
    pub(super) given: Vec<String>,
    /// All of it could be read, so what is not there is missing.
    pub(super) is_whole: bool,
    pub(super) fields: Fields,
    pub(super) workflow: WorkflowAgent,
}

impl Agent {
    /// Returns whether it declares the type of its answers, in a way that has a mistake.
    pub(super) fn lost_output(&self) -> bool {
        let is_misplaced = || self.fields.text(TextField::ExpectedOutput).is_some_and(prompt::is_type);
        self.fields.output.is_none() && (self.given.iter().any(|key| key == "output") || is_misplaced())
    }
}

/// All agents of one invocation.
pub(super) fn agents(tokens: TokenStream, errors: &mut Errors) -> Vec<Agent> {
    // Keeps the agents before an error.
    let mut read = Vec::new();
    let result = Parser::parse2(
        |input: ParseStream<'_>| {
            while !input.is_empty() {
                let one = agent(input, read.last(), errors)?;
                read.push(one);
                let _ = input.parse::<Option<Token![,]>>()?;
                if let Some(semicolon) = input.parse::<Option<Token![;]>>()? {
                    errors.at(semicolon, "remove this: agents follow each other without a separator");
                }
            }
            Ok(())
        },
        tokens,
    );
    errors.take(result);
    read
}

fn agent(input: ParseStream<'_>, before: Option<&Agent>, errors: &mut Errors) -> syn::Result<Agent> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    // `Ident` does not parse keywords.
    if !input.peek(syn::Ident) && input.peek2(syn::Ident) {
        let keyword: TokenTree = input.parse()?;
        errors
            .at(keyword, "an agent is declared without a keyword: write `Name { .. }` or `pub Name { .. }`");
    }
    let ident = if input.peek(LitStr) {
        let quoted: LitStr = input.parse()?;
        let (name, ident) = (quoted.value(), quoted.parse::<Ident>());
        let message = match &ident {
            Ok(_) => format!("write an agent's name without quotes: `{name} {{ .. }}`"),
            Err(_) => {
                format!("an agent begins with the name of its type: `Helper {{ name: \"{name}\", .. }}`")
            }
        };
        errors.push(quoted.span(), message);
        ident.unwrap_or_else(|_| Ident::new("_Agent", quoted.span()))
    } else {
        input.call(Ident::parse_any)?
    };
    let before_fields = errors.count();
    let (mut fields, mut given, mut workflow) = (Fields::default(), Vec::new(), WorkflowAgent::default());
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        let error = outside_of_braces(&ident, input, before);
        input.step(|cursor| Ok(((), skip_all(*cursor))))?;
        return Err(error);
    }
    if input.peek(Token![<]) {
        errors.push(input.span(), format_args!("an agent has no parameters: write `{ident} {{ .. }}`"));
        while !input.is_empty() && !input.peek(token::Brace) {
            input.parse::<TokenTree>()?;
        }
    }
    if input.peek(token::Brace) {
        let content;
        braced!(content in input);
        read_fields(&content, (&mut fields, &mut workflow), &mut given, errors)?;
    } else {
        let message = if ident == "workflow" && input.peek(Token![=]) {
            "a workflow has a macro of its own: `workflow!(\"workflows/Generator\");`".to_owned()
        } else {
            format!("write the fields of the agent in braces: `{ident} {{ .. }}`")
        };
        errors.push(ident.span(), message);
        // The rest is passed over.
        input.step(|cursor| Ok(((), skip_all(*cursor))))?;
    }
    let is_whole = errors.count() == before_fields;
    Ok(Agent { attrs, vis, ident, given, is_whole, fields, workflow })
}

/// `word:` where an agent's name and its braces are wanted.
fn outside_of_braces(word: &Ident, input: ParseStream<'_>, before: Option<&Agent>) -> syn::Error {
    let message = if input.peek2(token::Brace) && Name::from_word(&word.unraw().to_string()).is_none() {
        format!("write an agent's name without a colon: `{word} {{ .. }}`")
    } else if let Some(before) = before {
        let agent = &before.ident;
        format!("`{word}` is after the closing brace of the agent `{agent}`: move it before the brace")
    } else {
        "the fields of an agent belong in braces, after its name: `Helper { .. }`".to_owned()
    };
    syn::Error::new(word.span(), message)
}

fn read_fields(
    input: ParseStream<'_>,
    (fields, workflow): (&mut Fields, &mut WorkflowAgent),
    given: &mut Vec<String>,
    errors: &mut Errors,
) -> syn::Result<()> {
    while !input.is_empty() {
        match read_field(input, (fields, workflow), given, errors) {
            Ok(()) if !input.is_empty() && !input.peek(Token![,]) => {
                let message = if input.peek(Token![;]) {
                    "a field ends with a comma: write `,` instead of this"
                } else {
                    "a comma is missing before this, after the field"
                };
                errors.push(input.span(), message);
            }
            Ok(()) => {}
            Err(error) => errors.add(error),
        }
        to_next_field(input)?;
    }
    Ok(())
}

fn read_field(
    input: ParseStream<'_>,
    (fields, workflow): (&mut Fields, &mut WorkflowAgent),
    given: &mut Vec<String>,
    errors: &mut Errors,
) -> syn::Result<()> {
    if input.peek(LitStr) {
        let quoted: LitStr = input.parse()?;
        let name = quoted.value();
        let message = format!("write a field's name without quotes: `{name}`");
        return Err(syn::Error::new(quoted.span(), message));
    }
    let Ok(key) = input.call(Ident::parse_any) else {
        return Err(input.error("expected a field, such as `instruction: \"..\"`"));
    };
    let name = key.unraw().to_string();
    if let Some(read) = workflow.read(&name, input) {
        return read;
    }
    let Some(known) = Name::from_word(&name) else {
        return Err(syn::Error::new(key.span(), fields::unknown(&name)));
    };
    if given.contains(&name) {
        return Err(syn::Error::new(key.span(), format!("`{name}` is given twice; keep one of them")));
    }
    given.push(name.clone());
    if !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![:]) {
        let message = if input.peek(Token![=]) {
            format!("expected a colon: `{name}: ..`")
        } else {
            format!("a colon is missing before this: `{name}: ..`")
        };
        return Err(syn::Error::new(input.span(), message));
    }
    let colon = input.parse::<Option<Token![:]>>()?;
    if colon.is_none() || input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(key.span(), format!("`{name}` needs a value: `{name}: ..`")));
    }
    fields.read(known, Field { key: &key, input, errors })
}
