//! Finds the invocations of our macros in a program and expands them.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::{Delimiter, Ident, LineColumn, Span, TokenStream, TokenTree};

use crate::{agent, agent_hooks, card, guardrail, hook, program, strict, tool, toolbox, visit};

/// A `compile_error!` of an expansion.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct CompileError {
    pub(super) message: String,
    /// From the start of the first token to the end of the last. `None`: the place of the invocation itself.
    pub(super) place: Option<Range<LineColumn>>,
}

/// The result of the expansion of a whole program.
#[derive(Default)]
pub(super) struct Expanded {
    /// The errors in the order in which rustc shows them, each once.
    pub(super) errors: Vec<CompileError>,
    /// The number of invocations of our macros.
    pub(super) invocations: usize,
}

/// Expands the invocations of our macros, outer ones first, as rustc does. Other macros are left as they are.
pub(super) fn expand(program: TokenStream) -> Expanded {
    let mut walk = Walk { names: names(program.clone()), expanded: Expanded::default() };
    walk.stream(program);
    walk.expanded
}

const ATTRIBUTES: [&str; 8] =
    ["guardrail", "message_hook", "run_hook", "tool", "tool_hook", "toolbox", "turn_hook", "ui_tool"];

type Derive = (&'static str, fn(TokenStream) -> TokenStream);

const DERIVES: [Derive; 2] = [("Strict", strict::expand), ("VisitSecrets", visit::expand)];

/// The macros that the names of a program mean: their own names, and names from `use onionskin::tool as other`.
fn names(program: TokenStream) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = ATTRIBUTES
        .iter()
        .chain(&["agent", "main"])
        .chain(&DERIVES.map(|(name, _)| name))
        .map(|name| ((*name).to_owned(), (*name).to_owned()))
        .collect();
    renamed(program, &mut names);
    names
}

fn renamed(tokens: TokenStream, names: &mut BTreeMap<String, String>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            renamed(group.stream(), names);
        }
        if let [TokenTree::Ident(name), TokenTree::Ident(word), TokenTree::Ident(other), ..] = &tokens[at..]
            && word == "as"
            && let Some(name) = names.get(&name.to_string()).cloned()
        {
            names.insert(other.to_string(), name);
        }
    }
}

struct Walk {
    names: BTreeMap<String, String>,
    expanded: Expanded,
}

impl Walk {
    fn stream(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut rest = &tokens[..];
        while !rest.is_empty() {
            rest = self.first(rest);
        }
    }

    /// Expands what the tokens begin with, and gives what follows it.
    fn first<'a>(&mut self, tokens: &'a [TokenTree]) -> &'a [TokenTree] {
        if let Some((attributes, behind)) = attributes(tokens) {
            let length = item_length(behind);
            let (item, behind) = behind.split_at(length);
            return if self.item(attributes, item) { behind } else { &tokens[2..] };
        }
        if let Some((error, behind)) = compile_error(tokens) {
            if !self.expanded.errors.contains(&error) {
                self.expanded.errors.push(error);
            }
            return behind;
        }
        match tokens {
            // A definition does not invoke the macro.
            [TokenTree::Ident(name), bang, TokenTree::Ident(_), TokenTree::Group(_), behind @ ..]
                if name == "macro_rules" && is_punct(bang, '!') =>
            {
                behind
            }
            [TokenTree::Ident(name), bang, TokenTree::Group(body), behind @ ..]
                if is_punct(bang, '!') && self.means(&name.to_string()) == Some("agent") =>
            {
                self.expanded.invocations += 1;
                let body = body.stream();
                let expand = if card::names_cards(&body) { card::expand } else { agent::expand };
                self.stream(expand(body));
                behind
            }
            [TokenTree::Ident(name), bang, TokenTree::Group(body), behind @ ..]
                if is_punct(bang, '!') && self.means(&name.to_string()) == Some("main") =>
            {
                self.expanded.invocations += 1;
                // The facade's macro passes its crate on.
                let root = TokenTree::Ident(Ident::new("onionskin", Span::call_site()));
                self.stream(program::expand([root].into_iter().chain(body.stream()).collect()));
                behind
            }
            [TokenTree::Group(group), behind @ ..] => {
                self.stream(group.stream());
                behind
            }
            _ => &tokens[1..],
        }
    }

    fn means(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }

    /// Expands the first of our attributes of an item, and what its expansion holds. Whether there is one.
    fn item(&mut self, attributes: &[TokenTree], item: &[TokenTree]) -> bool {
        let mut attributes = attributes.chunks(2);
        let mut tokens = TokenStream::new();
        let (name, options) = loop {
            match attributes.next() {
                None => return false,
                Some(attribute) => match self.invoked(&attribute[1]) {
                    Some(invoked) => break invoked,
                    None => tokens.extend(attribute.iter().cloned()),
                },
            }
        };
        tokens.extend(attributes.flatten().chain(item).cloned());
        self.expanded.invocations += 1;
        let expansion = match name.as_str() {
            "tool" => tool::expand(options, tokens),
            "toolbox" => toolbox::expand(options, tokens),
            "tool_hook" => hook::expand(options, tokens),
            "guardrail" => guardrail::attribute(options, tokens),
            "run_hook" => agent_hooks::run_hook(options, tokens),
            "turn_hook" => agent_hooks::turn_hook(options, tokens),
            "message_hook" => agent_hooks::message_hook(options, tokens),
            "ui_tool" => tool::expand_ui(options, tokens),
            _ => {
                // A derive adds to the item.
                let derived = |(name, _): &&Derive| {
                    options.clone().into_iter().any(|token| self.means(&token.to_string()) == Some(name))
                };
                let added =
                    DERIVES.iter().filter(derived).map(|(_, expand)| expand(tokens.clone())).collect();
                self.stream(tokens);
                added
            }
        };
        self.stream(expansion);
        true
    }

    /// The macro that the group of an attribute (`[path(options)]`) invokes, and its options.
    fn invoked(&self, attribute: &TokenTree) -> Option<(String, TokenStream)> {
        let TokenTree::Group(attribute) = attribute else { return None };
        let tokens: Vec<_> = attribute.stream().into_iter().collect();
        let of_path = |token: &&TokenTree| matches!(token, TokenTree::Ident(_)) || is_punct(token, ':');
        let length = tokens.iter().take_while(of_path).count();
        let TokenTree::Ident(last) = tokens.get(length.checked_sub(1)?)? else { return None };
        let options = match tokens.get(length) {
            Some(TokenTree::Group(options)) => options.stream(),
            _ => TokenStream::new(),
        };
        if last == "derive" {
            let is_ours = |token: TokenTree| {
                let name = self.means(&token.to_string());
                DERIVES.iter().any(|(derive, _)| name == Some(derive))
            };
            return options.clone().into_iter().any(is_ours).then(|| ("derive".to_owned(), options));
        }
        let name = self.means(&last.to_string())?;
        ATTRIBUTES.contains(&name).then(|| (name.to_owned(), options))
    }
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// The outer attributes that tokens begin with, two tokens each, and what follows them.
fn attributes(tokens: &[TokenTree]) -> Option<(&[TokenTree], &[TokenTree])> {
    let is_attribute = |tokens: &&[TokenTree]| match tokens {
        [pound, TokenTree::Group(group)] => is_punct(pound, '#') && group.delimiter() == Delimiter::Bracket,
        _ => false,
    };
    let count = tokens.chunks(2).take_while(is_attribute).count();
    (count > 0).then(|| tokens.split_at(2 * count))
}

/// The number of tokens of the first item: up to its braces or its `;`.
fn item_length(tokens: &[TokenTree]) -> usize {
    let valued = ["const", "let", "static", "type", "use"];
    let mut words = tokens.iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    let functions = ["fn", "unsafe", "async", "extern"];
    let first = words.find(|word| word != "pub");
    let is_valued = first.is_some_and(|word| valued.contains(&word.as_str()))
        && !words.next().is_some_and(|word| functions.contains(&word.as_str()));
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_valued,
        token => is_punct(token, ';'),
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |at| at + 1)
}

/// The `::core::compile_error! { "message" }` that tokens begin with, and what follows it.
fn compile_error(tokens: &[TokenTree]) -> Option<(CompileError, &[TokenTree])> {
    let path = tokens
        .iter()
        .take_while(|token| {
            is_punct(token, ':') || matches!(token, TokenTree::Ident(name) if name == "core" || name == "std")
        })
        .count();
    let [TokenTree::Ident(name), bang, TokenTree::Group(body), behind @ ..] = &tokens[path..] else {
        return None;
    };
    if name != "compile_error" || !is_punct(bang, '!') {
        return None;
    }
    let message: syn::LitStr = syn::parse2(body.stream()).ok()?;
    let (start, end) = (tokens[0].span(), body.span());
    // Only spans that come from a text have one.
    let place =
        (start.source_text().is_some() && end.source_text().is_some()).then(|| start.start()..end.end());
    Some((CompileError { message: message.value(), place }, behind))
}
