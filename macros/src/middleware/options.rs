//! The attributes of functions around calls, runs, turns and messages: where such a function runs, its options, and the words in
//! which their errors differ.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Ident, Span, TokenStream};
use syn::{Path, Type};

use super::place::Place;
use crate::diag::Errors;
use crate::keys::{Key, options};
use crate::option::{Table, meta_name, read};

/// The kind of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum MiddlewareKind {
    #[default]
    Hook,
    /// A guardrail over arguments.
    Input,
    /// A guardrail over outputs.
    Output,
    /// A hook around runs or turns, or on messages.
    At(Place),
}

impl From<Place> for MiddlewareKind {
    fn from(place: Place) -> Self {
        Self::At(place)
    }
}

impl MiddlewareKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Input | Self::Output => "guardrail",
            Self::At(place) => place.family.word(),
        }
    }

    /// The name of the attribute.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Hook => "tool_hook",
            Self::Input | Self::Output => "guardrail",
            Self::At(place) => place.family.attribute(),
        }
    }

    /// How its trait is implemented by hand.
    pub(super) fn by_hand(self) -> String {
        let name = match self {
            Self::Hook => "Hook",
            Self::Input => "guardrails::InputGuardrail",
            Self::Output => "guardrails::OutputGuardrail",
            Self::At(place) => {
                let family = place.family;
                &format!("{}s::{}", family.attribute(), family.trait_name())
            }
        };
        format!("`impl onionskin::{name} for ..`")
    }

    pub(super) fn is_guardrail(self) -> bool {
        matches!(self, Self::Input | Self::Output)
    }

    /// What writes the values of `#[config]` parameters.
    pub(super) fn configured_by(self) -> &'static str {
        if self.is_guardrail() { "the tool" } else { "`agent!`" }
    }

    /// The attribute with its place and a further option.
    pub(super) fn with_option(self, option: &str) -> String {
        let place = match self {
            Self::Hook => "",
            Self::Input => "input, ",
            Self::Output => "output, ",
            Self::At(place) => &format!("{}, ", place.option),
        };
        format!("#[{}({place}{option})]", self.attribute())
    }

    /// The error for a method.
    pub(crate) fn method(self) -> String {
        let one = if self.is_guardrail() { "one" } else { "a hook" };
        format!(
            "a {} must be a free function; for {one} with state, take `#[config]` parameters or write {}",
            self.word(),
            self.by_hand()
        )
    }

    /// The error for an attribute of a tool's parameters.
    pub(super) fn for_tools(self) -> String {
        let what = if self.is_guardrail() { "guardrail" } else { "hook" };
        format!(
            "this is for tools: a {what} takes the agent's state as `State<..>` or by `#[bind(..)]`, and a value that {} writes as `#[config]`",
            self.configured_by()
        )
    }
}

options! {
    /// The options of a function. Each attribute has the last three.
    #[derive(Default, FromMeta)]
    pub(crate) struct Options {
        tool: Option<Path> = read::path,
        ignore_errors: bool = read::flag,
        state: Option<Type> = read::ty,
        crate_path as "crate": Option<Path> = read::path,
        type_name: Option<Ident> = read::name,
        ..
        #[darling(flatten)]
        places: Places,
        #[darling(skip)]
        kind: MiddlewareKind,
    }
}

/// The options that say where the function runs, in the order in which they were written.
#[derive(Default)]
pub(crate) struct Places(Vec<(String, Span)>);

impl FromMeta for Places {
    fn from_list(items: &[NestedMeta]) -> darling::Result<Self> {
        let metas = items.iter().filter_map(|item| match item {
            NestedMeta::Meta(meta) => Some(meta),
            _ => None,
        });
        metas.map(|meta| Ok((meta_name(meta), read::alone(meta)?))).collect::<darling::Result<_>>().map(Self)
    }
}

/// An attribute of functions.
pub(crate) struct Attribute<P: 'static> {
    /// Its options.
    pub(crate) keys: &'static [Key],
    /// Where its functions run. Each is an option that is a word alone.
    pub(crate) places: &'static [(&'static str, P)],
    /// The error for options in quotes.
    pub(crate) literal: &'static str,
    /// The error without a place, where one is needed.
    pub(crate) which: Option<&'static str>,
    /// The error at a second place.
    pub(crate) both: &'static str,
    /// Options of other frameworks, and what to write instead.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
}

impl<P: Copy + Into<MiddlewareKind>> Attribute<P> {
    /// The kinds of its functions.
    pub(super) fn kinds(&self) -> impl Iterator<Item = MiddlewareKind> {
        self.places.iter().map(|(_, place)| (*place).into())
    }

    /// The kind of a function that names no place.
    pub(super) fn kind(&self) -> MiddlewareKind {
        self.kinds().next().unwrap_or_default()
    }

    /// Reads the options, and the place that they name first.
    pub(crate) fn read(&self, tokens: TokenStream, errors: &mut Errors) -> (Options, Option<(P, Span)>) {
        let was_right = errors.is_empty();
        let table = Table {
            literal: Some(self.literal),
            elsewhere: self.elsewhere,
            ..Table::new("option", self.keys)
        };
        let mut options: Options = table.read(tokens, errors);
        let place = |(word, span): &(String, Span)| {
            let (_, place) = self.places.iter().find(|(name, _)| name == word)?;
            Some((*place, *span))
        };
        let mut places = options.places.0.iter().filter_map(place);
        let first = places.next();
        for (_, second) in places {
            errors.push(second, self.both);
        }
        if let (None, Some(which), true) = (first, self.which, was_right && errors.is_empty()) {
            errors.push(Span::call_site(), which);
        }
        options.kind = first.map_or_else(|| self.kind(), |(place, _)| place.into());
        (options, first)
    }
}
