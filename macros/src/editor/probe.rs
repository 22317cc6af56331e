//! Dead code that uses each of the user's words once, with the meaning that it has for the user.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;

use super::{is_punct, unplaced};
use crate::paths::Runtime;

/// The words that versions of rust-analyzer add at the cursor.
const AT_CURSOR: [&str; 2] = ["raCompletionMarker", "intellijRulezz"];

/// Returns whether a word of these is being completed.
pub(super) fn completes(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => completes(&group.stream()),
        TokenTree::Ident(word) => is_at_cursor(&word.to_string()),
        _ => false,
    })
}

fn is_at_cursor(word: &str) -> bool {
    AT_CURSOR.iter().any(|mark| word.contains(mark))
}

/// The part of a word that the user wrote.
pub(super) fn typed_part(word: &TokenTree) -> String {
    AT_CURSOR.iter().fold(word.to_string(), |word, mark| word.replace(mark, ""))
}

/// Removes the made-up word and the places of the user's words. Code that rust-analyzer does not look for must be the same in
/// both of its expansions.
fn without_cursor(tokens: TokenStream) -> TokenStream {
    let kept = unplaced(tokens).into_iter().filter_map(|token| match &token {
        TokenTree::Ident(word) if is_at_cursor(&word.to_string()) => {
            let rest = typed_part(&token);
            let rest = match rest.strip_prefix("r#") {
                Some("") => None,
                Some(raw) => Some(Ident::new_raw(raw, word.span())),
                None => (!rest.is_empty()).then(|| Ident::new(&rest, word.span())),
            };
            rest.map(TokenTree::Ident)
        }
        _ => Some(token),
    });
    kept.collect()
}

/// Tokens between commas.
pub(super) fn between_commas(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let parts = tokens.split(|token| is_punct(token, ','));
    parts.filter(|part| !part.is_empty()).map(<[_]>::to_vec).collect()
}

/// The content of the group that tokens consist of.
pub(super) fn inside(tokens: &[TokenTree], delimiter: Delimiter) -> Option<TokenStream> {
    match tokens {
        [TokenTree::Group(group), ..] if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    }
}

/// Collects probes.
pub(super) struct Probes {
    /// The path of the runtime.
    root: TokenStream,
    tokens: TokenStream,
}

impl Probes {
    pub(super) fn new(root: Option<TokenStream>) -> Self {
        Self { root: root.map_or_else(|| Runtime::new(None).root(), unplaced), tokens: TokenStream::new() }
    }

    pub(super) fn finish(self) -> TokenStream {
        let tokens = self.tokens;
        // Room for the cursor where nothing is written yet.
        let room = (0..16).map(|_| quote!(let _ = ();));
        quote!(const _: () = { #tokens #(#room)* };)
    }

    /// An expression.
    pub(super) fn value(&mut self, tokens: &[TokenTree]) {
        let value: TokenStream = tokens.iter().cloned().collect();
        if !value.is_empty() {
            self.tokens.extend(quote!(let _ = #value;));
        }
    }

    /// A type.
    pub(super) fn ty(&mut self, tokens: &[TokenTree]) {
        let ty: TokenStream = tokens.iter().cloned().collect();
        if !ty.is_empty() {
            self.tokens.extend(quote!(let _: [#ty; 0];));
        }
    }

    /// A name that is a function and a type: it shows the function, and is completed as a type, which nothing calls.
    pub(super) fn entry(&mut self, tokens: &[TokenTree]) {
        let path: TokenStream = tokens.iter().cloned().collect();
        let is_type = tokens.last().is_some_and(|last| last.to_string().starts_with(char::is_uppercase));
        let elsewhere: Vec<_> = without_cursor(path.clone()).into_iter().collect();
        let (value, ty) =
            if is_type || completes(&path) { (&elsewhere[..], tokens) } else { (tokens, &elsewhere[..]) };
        self.value(value);
        self.ty(ty);
    }

    /// An entry with its configuration: `retry(3)`.
    pub(super) fn configured(&mut self, tokens: &[TokenTree]) {
        let path = tokens.iter().take_while(|token| !matches!(token, TokenTree::Group(_))).count();
        self.entry(&tokens[..path]);
        self.values(&tokens[path..]);
    }

    /// Expressions in parentheses.
    fn values(&mut self, tokens: &[TokenTree]) {
        for value in between_commas(inside(tokens, Delimiter::Parenthesis).unwrap_or_default()) {
            self.value(&value);
        }
    }

    /// A word that the macro knows: a constant of a module of `keys`, which has its documentation.
    pub(super) fn key(&mut self, module: &str, word: &TokenTree) {
        // Keywords cannot be names of constants.
        if matches!(&*word.to_string(), "crate" | "true" | "false") {
            return;
        }
        let (root, module) = (&self.root, Ident::new(module, Span::call_site()));
        self.tokens.extend(quote!(let _ = #root::__private0::keys::#module::#word;));
    }

    /// A place for a word, where none is written yet: the path that completion looks into.
    pub(super) fn no_key(&mut self, module: &str) {
        self.key(module, &TokenTree::Ident(Ident::new("none_yet", Span::call_site())));
    }

    /// Words with a dot between them: `shell.execute`.
    pub(super) fn dotted(&mut self, module: &str, words: &[TokenTree]) {
        let [first, rest @ ..] = words else { return };
        let (root, module) = (&self.root, Ident::new(module, Span::call_site()));
        self.tokens.extend(quote!(let _ = #root::__private0::keys::#module::#first #(#rest)*;));
    }

    /// A field of a type: `a.b`.
    pub(super) fn field(&mut self, of: &TokenStream, field: &[TokenTree]) {
        let (root, of) = (&self.root, without_cursor(of.clone()));
        match field {
            [] => self.tokens.extend(quote!(let _ = #root::__private0::keys::value::<#of>();)),
            [TokenTree::Literal(_), ..] => self.value(field),
            _ => self.tokens.extend(quote!(let _ = #root::__private0::keys::value::<#of>().#(#field)*;)),
        }
    }
}

/// The path that follows `crate =` or `crate:`.
pub(super) fn root(tokens: &TokenStream) -> Option<TokenStream> {
    between_commas(tokens.clone()).into_iter().find_map(|part| match &part[..] {
        [TokenTree::Ident(key), mark, path @ ..]
            if key == "crate" && (is_punct(mark, '=') || is_punct(mark, ':')) && !path.is_empty() =>
        {
            let path: TokenStream = path.iter().cloned().collect();
            let is_whole = !completes(&path) && syn::parse2::<syn::Path>(path.clone()).is_ok();
            is_whole.then_some(path)
        }
        _ => None,
    })
}
