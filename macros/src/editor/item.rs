//! A function taken apart by its tokens, however little of it is there.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

use quote::quote;

use super::probe::{between_commas, typed_part};
use super::{is_punct, unplaced};

/// Our attributes of parameters.
const OURS: [&str; 5] = ["arg", "bind", "inject", "config", "doc"];

/// The parameters and the body: their places among the tokens of a function.
fn places(tokens: &[TokenTree]) -> Option<(usize, Option<usize>)> {
    let keyword = tokens.iter().position(|token| matches!(token, TokenTree::Ident(word) if word == "fn"))?;
    let mut depth = 0_usize;
    let mut parameters = None;
    for (at, token) in tokens.iter().enumerate().skip(keyword) {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' && !is_arrow(&tokens[..at]) => {
                depth = depth.saturating_sub(1);
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis && depth == 0 => {
                parameters = parameters.or(Some(at));
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && depth == 0 => {
                return Some((parameters?, Some(at)));
            }
            _ => {}
        }
    }
    Some((parameters?, None))
}

/// Returns whether a `>` behind these tokens is the end of `->`.
fn is_arrow(before: &[TokenTree]) -> bool {
    matches!(before.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '-' && punct.spacing() == Spacing::Joint)
}

/// The function, our attributes taken off its parameters.
pub(super) fn function(item: TokenStream) -> Option<TokenStream> {
    let mut tokens: Vec<_> = item.into_iter().collect();
    let (parameters, _) = places(&tokens)?;
    let TokenTree::Group(group) = &tokens[parameters] else { return None };
    tokens[parameters] = bare(group);
    Some(tokens.into_iter().collect())
}

/// Parameters without our attributes.
fn bare(parameters: &Group) -> TokenTree {
    let mut bare = Group::new(parameters.delimiter(), without_attributes(parameters.stream()));
    bare.set_span(parameters.span());
    TokenTree::Group(bare)
}

fn without_attributes(parameters: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in parameters {
        let is_ours = match &token {
            TokenTree::Group(group) if kept.last().is_some_and(|mark| is_punct(mark, '#')) => {
                attribute(group).is_some()
            }
            _ => false,
        };
        if is_ours {
            kept.pop();
        } else {
            kept.push(token);
        }
    }
    kept.into_iter().collect()
}

/// The name and the content of an attribute of ours.
fn attribute(group: &Group) -> Option<(String, TokenStream)> {
    let mut tokens = group.stream().into_iter();
    let name = tokens.next()?.to_string();
    let content = match tokens.next() {
        Some(TokenTree::Group(content)) => content.stream(),
        _ => TokenStream::new(),
    };
    OURS.contains(&&*name).then_some((name, content))
}

/// The part of a plain expansion behind the function.
pub(super) fn behind_function(plain: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<_> = plain.into_iter().collect();
    let (_, body) = places(&tokens)?;
    Some(tokens.into_iter().skip(body? + 1).collect())
}

/// Gives the type beside a function the function's whole documentation instead of its summary.
pub(super) fn with_docs(beside: TokenStream, function: &TokenStream) -> TokenStream {
    let docs: TokenStream =
        attributes(function).filter(|(_, attribute)| is_doc(attribute)).flat_map(pair).collect();
    if docs.is_empty() || !has_struct(&beside) {
        return beside;
    }
    let own: Vec<_> = attributes(&beside).collect();
    let words = own.iter().rposition(|(_, attribute)| is_doc(attribute));
    let kept = own.iter().enumerate().filter(|(at, (_, attribute))| !is_doc(attribute) || Some(*at) == words);
    let kept: TokenStream = kept.flat_map(|(_, attribute)| pair(attribute.clone())).collect();
    let (docs, rest) = (unplaced(docs), beside.into_iter().skip(own.len() * 2));
    quote!(#docs #[doc = ""] #kept #(#rest)*)
}

/// The attributes that tokens begin with.
fn attributes(tokens: &TokenStream) -> impl Iterator<Item = (TokenTree, Group)> {
    let mut tokens = tokens.clone().into_iter();
    std::iter::from_fn(move || match (tokens.next()?, tokens.next()?) {
        (mark, TokenTree::Group(group)) if is_punct(&mark, '#') => Some((mark, group)),
        _ => None,
    })
}

fn is_doc(attribute: &Group) -> bool {
    attribute.stream().into_iter().next().is_some_and(|name| name.to_string() == "doc")
}

fn pair((mark, attribute): (TokenTree, Group)) -> [TokenTree; 2] {
    [mark, attribute.into()]
}

/// Returns whether the first item beside a function is its type.
fn has_struct(beside: &TokenStream) -> bool {
    let mut words = beside.clone().into_iter().take_while(
        |token| !matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace),
    );
    words.any(|token| matches!(token, TokenTree::Ident(word) if word == "struct"))
}

/// The block of a toolbox, our attributes taken off its methods and their parameters.
pub(super) fn block(item: TokenStream) -> Option<TokenStream> {
    let mut tokens: Vec<_> = item.into_iter().collect();
    let body = tokens.last_mut()?;
    let TokenTree::Group(group) = body else { return None };
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in group.stream() {
        match token {
            TokenTree::Group(attribute) if tool_options(kept.last(), &attribute).is_some() => {
                kept.pop();
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                kept.push(bare(&group));
            }
            other => kept.push(other),
        }
    }
    let mut bare = Group::new(group.delimiter(), kept.into_iter().collect());
    bare.set_span(group.span());
    *body = TokenTree::Group(bare);
    Some(tokens.into_iter().collect())
}

/// The options of `#[tool(..)]`, given its group and the token before it.
pub(super) fn tool_options(before: Option<&TokenTree>, attribute: &Group) -> Option<TokenStream> {
    let is_attribute = attribute.delimiter() == Delimiter::Bracket && is_punct(before?, '#');
    let tokens: Vec<_> = attribute.stream().into_iter().filter(|_| is_attribute).collect();
    let (path, options) = match &tokens[..] {
        [path @ .., TokenTree::Group(options)] => (path, options.stream()),
        path => (path, TokenStream::new()),
    };
    (path.last()?.to_string() == "tool").then_some(options)
}

/// The part of a plain expansion behind the block of a toolbox.
pub(super) fn behind_block(plain: TokenStream) -> Option<TokenStream> {
    let mut rest = plain.into_iter();
    rest.find(|token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace))?;
    Some(rest.collect())
}

/// The aliases of the plain expansion's own, which would be offered wherever the user writes a name, put where they are
/// used.
pub(super) fn without_aliases(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let (mut kept, mut aliases) = (Vec::new(), Vec::new());
    let mut rest = &tokens[..];
    while let [first, behind @ ..] = rest {
        if let [TokenTree::Ident(keyword), TokenTree::Ident(name), mark, of @ ..] = rest
            && keyword == "type"
            && is_punct(mark, '=')
            // Another one is in place of the type beside a wrong function.
            && name.to_string().starts_with("__")
            && let Some(end) = of.iter().position(|token| is_punct(token, ';'))
        {
            // Its attributes go with it.
            while let [.., mark, TokenTree::Group(_)] = &kept[..]
                && is_punct(mark, '#')
            {
                kept.truncate(kept.len() - 2);
            }
            aliases.push((name.to_string(), meant(&of[..end])));
            rest = &of[end + 1..];
        } else {
            kept.push(first.clone());
            rest = behind;
        }
    }
    replaced(kept.into_iter().collect(), &aliases)
}

/// The meaning of an alias: `T` of `<Known<..> as Is>::Type<T>`.
fn meant(of: &[TokenTree]) -> TokenStream {
    let known = of.iter().position(|token| token.to_string() == "Type");
    match (of.first(), known.and_then(|at| of.get(at + 1..))) {
        (Some(first), Some([open, ty @ .., _])) if is_punct(first, '<') && is_punct(open, '<') => {
            ty.iter().cloned().collect()
        }
        _ => of.iter().cloned().collect(),
    }
}

fn replaced(tokens: TokenStream, aliases: &[(String, TokenStream)]) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match &token {
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), self::replaced(group.stream(), aliases));
            replaced.set_span(group.span());
            TokenTree::Group(replaced).into()
        }
        TokenTree::Ident(word) => {
            let alias = aliases.iter().find(|(name, _)| word == name);
            alias.map_or_else(|| token.clone().into(), |(_, of)| unplaced(of.clone()))
        }
        _ => TokenStream::from(token),
    });
    replaced.collect()
}

/// A parameter.
pub(super) struct Parameter {
    pub(super) attributes: Vec<(String, TokenStream)>,
    ty: Vec<TokenTree>,
}

impl Parameter {
    /// `S` of `State<S>`.
    pub(super) fn state(&self) -> Option<TokenStream> {
        let at = self.ty.iter().position(|token| typed_part(token) == "State")?;
        match &self.ty[at + 1..] {
            [open, of @ .., close] if is_punct(open, '<') && is_punct(close, '>') => {
                Some(of.iter().cloned().collect())
            }
            _ => None,
        }
    }
}

/// The parameters of a function, also without a body.
pub(super) fn parameters(item: TokenStream) -> Vec<Parameter> {
    let tokens: Vec<_> = item.into_iter().collect();
    let list = places(&tokens).map(|(parameters, _)| &tokens[parameters]);
    let Some(TokenTree::Group(list)) = list else { return Vec::new() };
    between_commas(list.stream()).iter().map(|tokens| Parameter::read(tokens)).collect()
}

impl Parameter {
    fn read(tokens: &[TokenTree]) -> Self {
        let mut attributes = Vec::new();
        for pair in tokens.windows(2) {
            if let [mark, TokenTree::Group(group)] = pair
                && is_punct(mark, '#')
            {
                attributes.extend(attribute(group));
            }
        }
        let colon = tokens.iter().position(|token| is_punct(token, ':')).map_or(tokens.len(), |at| at + 1);
        Self { attributes, ty: tokens[colon..].to_vec() }
    }
}
