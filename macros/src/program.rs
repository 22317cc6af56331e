//! `main!`: the `main` of a program with a command line.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Expr, Ident, LitStr, Path, Token, bracketed, token};

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
    let agents = agents(input, false, errors)?;
    Ok(Program { agents, ..Program::default() })
}

/// Whether a key is first: a word before `:` or `=`, or one of ours that is not the path of an agent.
fn begins_with_key(input: ParseStream<'_>) -> bool {
    let Ok(word) = input.fork().call(Ident::parse_any) else { return false };
    if input.peek2(Token![::]) || input.peek2(Token![,]) {
        return false;
    }
    is_value_next(input) || KEYS.contains(&&*word.to_string())
}

/// Whether the word that is next is the key of a value.
fn is_value_next(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    ahead.call(Ident::parse_any).is_ok()
        && !ahead.peek(Token![::])
        && (ahead.peek(Token![:]) || ahead.peek(Token![=]))
}

/// The error for a card, whose path is not an agent. `path`: as it is written, if it is.
fn card(place: Span, path: Option<&TokenStream>) -> syn::Error {
    let path = path.map_or_else(|| "\"..\"".to_owned(), |path| path.to_string().replace(" ,", ","));
    syn::Error::new(
        place,
        format!(
            "`main!` takes agents: declare them with `agent!(card = {path})`, and name their types here, `onionskin::main!(Clerk)`; for cards that are read at run time, give the program `--card`"
        ),
    )
}

/// The error for a key that does not exist. The value follows.
fn unknown_key(key: &Ident, input: ParseStream<'_>) -> syn::Error {
    let name = key.unraw().to_string();
    if name != "card" && name != "cards" {
        return syn::Error::new(key.span(), suggest::unknown("key", &name, &KEYS));
    }
    let value = |input: ParseStream<'_>| {
        input.parse::<TokenTree>()?;
        input.parse::<TokenTree>()
    };
    let value = value(&input.fork()).ok().map(TokenStream::from);
    card(key.span(), value.as_ref())
}

fn with_keys(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Program> {
    let mut program = Program::default();
    let mut seen: Vec<String> = Vec::new();
    while !input.is_empty() {
        let key = Ident::parse_any(input)?;
        let name = key.unraw().to_string();
        if !KEYS.contains(&&*name) {
            return Err(unknown_key(&key, input));
        }
        if seen.contains(&name) {
            errors.push(key.span(), format!("`{name}` is given twice; keep one of them"));
        }
        let colon = input.parse::<Token![:]>();
        colon.map_err(|error| syn::Error::new(error.span(), format!("write `{name}: ..`")))?;
        match &*name {
            "agents" => {
                let list;
                if !input.peek(token::Bracket) {
                    return Err(
                        input.error("write the types of the agents in a list: `agents: [Pmo, Helper]`")
                    );
                }
                let brackets = bracketed!(list in input);
                program.agents = agents(&list, true, errors)?;
                if program.agents.is_empty() {
                    errors.push(brackets.span.join(), "the list is empty: name an agent, or remove `agents`");
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
        return Err(syn::Error::new(key.span(), format!("expected a value: `{example}`")));
    }
    input.parse()
}

/// The types of agents, with commas between them. `is_list`: they are the value of the key.
fn agents(input: ParseStream<'_>, is_list: bool, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    let mut agents: Vec<Path> = Vec::new();
    while !input.is_empty() {
        if is_value_next(input) {
            return Err(key_behind(&agents, is_list, input));
        }
        let agent = agent(input)?;
        if agents.iter().any(|other| shown(other) == shown(&agent)) {
            errors.at(&agent, format!("`{}` is named twice; keep one", shown(&agent)));
        }
        agents.push(agent);
        if input.is_empty() {
            break;
        }
        if input.peek(token::Brace) {
            return Err(input.error("declare the agent with `agent! { .. }`, and name its type here"));
        }
        if input.peek(token::Paren) {
            return Err(input.error("name the type of the agent alone, `main!(Clerk)`: the program builds it, and `setup` changes its builder"));
        }
        let comma = input.parse::<Token![,]>();
        comma.map_err(|error| syn::Error::new(error.span(), "write a `,` between two agents"))?;
    }
    Ok(agents)
}

/// The type of an agent.
fn agent(input: ParseStream<'_>) -> syn::Result<Path> {
    if let Ok(text) = input.fork().parse::<LitStr>() {
        if text.parse::<Path>().is_err() {
            return Err(card(text.span(), Some(&text.to_token_stream())));
        }
        let message = format!("write the type of the agent without quotes: `{}`", text.value());
        return Err(syn::Error::new(text.span(), message));
    }
    let at = input.fork();
    input.parse().map_err(|_| at.error(FORMS))
}

/// The error for a key among the agents, `registry: ..`.
fn key_behind(agents: &[Path], is_list: bool, input: ParseStream<'_>) -> syn::Error {
    let key = match Ident::parse_any(input) {
        Ok(key) => key,
        Err(error) => return error,
    };
    let name = key.unraw().to_string();
    if !KEYS.contains(&&*name) {
        return unknown_key(&key, input);
    }
    let agents = agents.iter().map(shown).collect::<Vec<_>>().join(", ");
    let message = if is_list {
        format!("`{name}` follows the list: `agents: [{agents}], {name}: ..`")
    } else {
        format!(
            "with keys, write the agents in a list: `onionskin::main! {{ agents: [{agents}], {name}: .. }}`"
        )
    };
    syn::Error::new(key.span(), message)
}

fn shown(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
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
