//! `main!`: the `main` of a program with a command line.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, Ident, Path, Token, bracketed};

use crate::diag::Errors;
use crate::suggest;

const KEYS: [&str; 3] = ["agents", "registry", "setup"];

const FORMS: &str = "write the types of the agents, `main!(Pmo, Helper)`, or keys, `main! { agents: [Pmo], registry: .., setup: .. }`";

/// What a program offers.
#[derive(Default)]
struct Program {
    agents: Vec<Path>,
    registry: Option<Expr>,
    setup: Option<Expr>,
}

/// Expands `main!`. The first token is the crate that has the command line.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let root: TokenStream = tokens.next().into_iter().collect();
    let mut errors = Errors::default();
    let read = |input: ParseStream<'_>| read(input, &mut errors);
    let program = match read.parse2(tokens.collect()) {
        Ok(program) => program,
        Err(error) => {
            errors.add(error);
            Program::default()
        }
    };
    if errors.is_empty() {
        return program.main(&root);
    }
    let errors = errors.into_tokens();
    // Without a `main` there would be a second error.
    quote! {
        #errors
        fn main() {}
    }
}

fn read(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Program> {
    if input.is_empty() {
        return Err(syn::Error::new(Span::call_site(), FORMS));
    }
    if begins_with_key(input) {
        return with_keys(input, errors);
    }
    let agents = agents(input, errors)?;
    Ok(Program { agents, ..Program::default() })
}

/// Whether a key is first: a word before `:`, or one of ours that is not the path of an agent.
fn begins_with_key(input: ParseStream<'_>) -> bool {
    let Ok(word) = input.fork().call(Ident::parse_any) else { return false };
    if input.peek2(Token![::]) || input.peek2(Token![,]) {
        return false;
    }
    input.peek2(Token![:]) || KEYS.contains(&&*word.to_string())
}

fn with_keys(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Program> {
    let mut program = Program::default();
    let mut seen: Vec<String> = Vec::new();
    while !input.is_empty() {
        let key = Ident::parse_any(input)?;
        let name = key.unraw().to_string();
        if !KEYS.contains(&&*name) {
            return Err(syn::Error::new(key.span(), suggest::unknown("key", &name, &KEYS)));
        }
        if seen.contains(&name) {
            errors.push(key.span(), format!("`{name}` is written twice"));
        }
        let colon = input.parse::<Token![:]>();
        colon.map_err(|error| syn::Error::new(error.span(), format!("write `{name}: ..`")))?;
        match &*name {
            "agents" => {
                let list;
                if !input.peek(syn::token::Bracket) {
                    return Err(
                        input.error("write the types of the agents in a list: `agents: [Pmo, Helper]`")
                    );
                }
                let brackets = bracketed!(list in input);
                program.agents = agents(&list, errors)?;
                if program.agents.is_empty() {
                    errors.push(
                        brackets.span.join(),
                        "the list is empty: name an agent, or leave out `agents`",
                    );
                }
            }
            "registry" => program.registry = Some(value(input, &key, "registry: Registry::new().file(..)")?),
            _ => program.setup = Some(value(input, &key, "setup: |app| app.model(..)")?),
        }
        seen.push(name);
        if !input.is_empty() {
            let comma = input.parse::<Token![,]>();
            comma.map_err(|error| syn::Error::new(error.span(), "write a `,` between two keys"))?;
        }
    }
    Ok(program)
}

/// The value of a key. `example` shows one.
fn value(input: ParseStream<'_>, key: &Ident, example: &str) -> syn::Result<Expr> {
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(key.span(), format!("the value is missing: `{example}`")));
    }
    input.parse()
}

fn agents(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    let agents = Punctuated::<Agent, Token![,]>::parse_terminated(input)?;
    let agents: Vec<Path> = agents.into_iter().map(|Agent(path)| path).collect();
    for (index, agent) in agents.iter().enumerate() {
        let shown = agent.to_token_stream().to_string();
        if agents[..index].iter().any(|other| other.to_token_stream().to_string() == shown) {
            errors.at(agent, format!("`{}` is named twice", shown.replace(' ', "")));
        }
    }
    Ok(agents)
}

/// The type of an agent.
struct Agent(Path);

impl Parse for Agent {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if let Ok(text) = input.fork().parse::<syn::LitStr>() {
            let message = format!("write the type of the agent without quotes: `{}`", text.value());
            return Err(syn::Error::new(text.span(), message));
        }
        let at = input.fork();
        let path = input.parse::<Path>().map_err(|_| at.error(FORMS))?;
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error("write a `,` between two agents"));
        }
        Ok(Self(path))
    }
}

impl Program {
    fn main(&self, root: &TokenStream) -> TokenStream {
        let agents = self.agents.iter().map(|agent| quote_spanned!(agent.span()=> .agent::<#agent>()));
        let registry =
            self.registry.as_ref().map(|registry| quote_spanned!(registry.span()=> .registry(#registry)));
        let setup = self.setup.as_ref().map(|setup| quote_spanned!(setup.span()=> .setup(#setup)));
        quote! {
            fn main() -> ::std::process::ExitCode {
                #root::cli::Program::new(
                    ::core::option_env!("CARGO_BIN_NAME").unwrap_or(::core::env!("CARGO_PKG_NAME")),
                    ::core::env!("CARGO_PKG_VERSION"),
                )
                .about(::core::env!("CARGO_PKG_DESCRIPTION"))
                #(#agents)*
                #registry
                #setup
                .main()
            }
        }
    }
}
