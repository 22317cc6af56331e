//! The attributes as an editor sees them.

use proc_macro2::{Punct, Spacing, TokenStream, TokenTree};
use quote::quote;

use super::item::{self, Parameter};
use super::probe::{self, Probes, between_commas, completes};
use super::{beside, is_punct};

/// An attribute of ours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    Tool,
    ToolHook,
    RunHook,
    TurnHook,
    MessageHook,
    Guardrail,
    Toolbox,
}

impl Attribute {
    /// The module of `keys` that has its options.
    fn module(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::ToolHook => "tool_hook",
            Self::RunHook => "run_hook",
            Self::TurnHook => "turn_hook",
            Self::MessageHook => "message_hook",
            Self::Guardrail => "guardrail",
            Self::Toolbox => "toolbox",
        }
    }

    /// The probes of an item, the item, and the plain expansion beside it.
    pub(crate) fn expand(self, options: TokenStream, item: TokenStream, plain: &TokenStream) -> TokenStream {
        let completes = completes(&options) || completes(&item);
        let mut probes = Probes::new(probe::root(&options));
        self.probe(&mut probes, options, &item);
        let probes = probes.finish();
        let parts = match self {
            Self::Toolbox => item::block(item).zip(item::behind_block(plain.clone())),
            Self::Tool
            | Self::ToolHook
            | Self::RunHook
            | Self::TurnHook
            | Self::MessageHook
            | Self::Guardrail => item::function(item).zip(item::behind_function(plain.clone())),
        };
        // Half typed, or something else: there is nothing beside it.
        let Some((item, rest)) = parts else { return quote!(#probes #plain) };
        let beside = beside(item::without_aliases(rest), completes);
        // The type is completed where the function is meant.
        let beside = item::with_docs(beside, &item);
        quote!(#probes #item #beside)
    }

    fn probe(self, probes: &mut Probes, options: TokenStream, item: &TokenStream) {
        let options = with_whole_types(between_commas(options));
        probes.options(self.module(), &options);
        if self == Self::Toolbox {
            return methods(probes, item);
        }
        parameters(probes, &options, item);
    }
}

/// Joins the parts of an option whose type has commas: `state = HashMap<String, i64>`.
fn with_whole_types(parts: Vec<Vec<TokenTree>>) -> Vec<Vec<TokenTree>> {
    let mut options: Vec<Vec<TokenTree>> = Vec::new();
    for part in parts {
        match options.last_mut() {
            Some(last) if is_open_type(last) => {
                last.push(Punct::new(',', Spacing::Alone).into());
                last.extend(part);
            }
            _ => options.push(part),
        }
    }
    options
}

/// Returns whether an option is a `state` whose type has more `<` than `>`.
fn is_open_type(option: &[TokenTree]) -> bool {
    let count = |mark| option.iter().filter(|token| is_punct(token, mark)).count();
    matches!(option, [TokenTree::Ident(key), ..] if key == "state") && count('<') > count('>')
}

/// The options of a block's methods.
fn methods(probes: &mut Probes, block: &TokenStream) {
    let Some(TokenTree::Group(body)) = block.clone().into_iter().last() else { return };
    let body: Vec<_> = body.stream().into_iter().collect();
    for (at, pair) in body.windows(2).enumerate() {
        if let [mark, TokenTree::Group(attribute)] = pair
            && let Some(options) = item::tool_options(Some(mark), attribute)
        {
            Attribute::Tool.probe(probes, options, &body[at + 2..].iter().cloned().collect());
        }
    }
}

/// The attributes of ours that parameters have.
fn parameters(probes: &mut Probes, options: &[Vec<TokenTree>], item: &TokenStream) {
    let parameters = item::parameters(item.clone());
    let given = options.iter().find_map(|option| match &option[..] {
        [TokenTree::Ident(key), mark, ty @ ..] if key == "state" && is_punct(mark, '=') => {
            Some(ty.iter().cloned().collect())
        }
        _ => None,
    });
    let state: Option<TokenStream> = given.or_else(|| parameters.iter().find_map(Parameter::state));
    for (name, content) in parameters.iter().flat_map(|parameter| &parameter.attributes) {
        let parts = between_commas(content.clone());
        match &**name {
            "arg" => probes.options("arg", &parts),
            "bind" => {
                let (field, rest) =
                    parts.split_first().map_or((&[][..], &[][..]), |(field, rest)| (&field[..], rest));
                if let Some(state) = &state {
                    probes.field(state, field);
                }
                probes.options("bind", rest);
            }
            _ => {}
        }
    }
}
