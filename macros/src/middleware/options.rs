//! The attributes of functions around calls, runs, turns and messages: where such a function runs, its options, and the words in
//! which their errors differ.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Ident, Span, TokenStream};
use syn::{Path, Type};

use crate::diag::Errors;
use crate::keys::{Key, find, options};
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
    /// A run hook before the run.
    BeforeRun,
    /// A run hook after the run.
    AfterRun,
    /// A turn hook.
    Turn(TurnPlace),
    /// A message hook.
    Message(MessagePlace),
}

/// The place of a turn hook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TurnPlace {
    BeforeLlm,
    AfterLlm,
    BeforeTool,
    AfterTool,
    AfterTurn,
}

/// A part of a turn or of a message that a hook gets.
#[derive(Clone, Copy)]
pub(crate) struct TurnPart {
    pub(crate) name: &'static str,
    pub(crate) ty: &'static str,
    /// Whether the hook may change it.
    pub(crate) changes: bool,
}

impl TurnPart {
    /// Whether the hook gets it by value.
    pub(crate) fn is_flag(&self) -> bool {
        self.ty == "bool"
    }

    /// The parameter that takes it.
    pub(crate) fn parameter(&self) -> String {
        if self.is_flag() {
            return format!("`{}: bool`", self.name);
        }
        format!("`{}: {}{}`", self.name, if self.changes { "&mut " } else { "&" }, self.ty)
    }
}

impl TurnPlace {
    pub(crate) const ALL: [Self; 5] =
        [Self::BeforeLlm, Self::AfterLlm, Self::BeforeTool, Self::AfterTool, Self::AfterTurn];

    /// The method of the trait.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::BeforeLlm => "before_llm_call",
            Self::AfterLlm => "after_llm_call",
            Self::BeforeTool => "before_tool_call",
            Self::AfterTool => "after_tool_call",
            Self::AfterTurn => "after_turn_complete",
        }
    }

    /// What the hook gets beside the run.
    pub(crate) fn parts(self) -> &'static [TurnPart] {
        const fn part(name: &'static str, ty: &'static str, changes: bool) -> TurnPart {
            TurnPart { name, ty, changes }
        }
        match self {
            Self::BeforeLlm => &const { [part("request", "TurnRequest", true)] },
            Self::AfterLlm => &const { [part("response", "ModelResponse", true)] },
            Self::BeforeTool => &const { [part("call", "TurnToolCall", true)] },
            Self::AfterTool => {
                &const { [part("call", "TurnToolCall", false), part("result", "ToolResultMessage", true)] }
            }
            Self::AfterTurn => &const { [part("turn", "CompletedTurn", false)] },
        }
    }
}

/// The place of a message hook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessagePlace {
    BeforeSend,
    UpdateState,
    LastReceived,
    BeforeReply,
}

impl MessagePlace {
    pub(crate) const ALL: [Self; 4] =
        [Self::BeforeSend, Self::UpdateState, Self::LastReceived, Self::BeforeReply];

    /// The method of the trait.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::BeforeSend => "process_message_before_send",
            Self::UpdateState => "update_agent_state",
            Self::LastReceived => "process_last_received_message",
            Self::BeforeReply => "process_all_messages_before_reply",
        }
    }

    /// What the hook gets beside the run.
    pub(crate) fn parts(self) -> &'static [TurnPart] {
        const fn part(name: &'static str, ty: &'static str, changes: bool) -> TurnPart {
            TurnPart { name, ty, changes }
        }
        match self {
            Self::BeforeSend => {
                &const {
                    [
                        part("sender", "Participant", false),
                        part("message", "SentMessage", true),
                        part("recipient", "Participant", false),
                        part("silent", "bool", false),
                    ]
                }
            }
            Self::UpdateState => &const { [part("messages", "History", false)] },
            Self::LastReceived => &const { [part("message", "Message", true)] },
            Self::BeforeReply => &const { [part("messages", "History", true)] },
        }
    }
}

impl MiddlewareKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Input | Self::Output => "guardrail",
            Self::BeforeRun | Self::AfterRun => "run hook",
            Self::Turn(_) => "turn hook",
            Self::Message(_) => "message hook",
        }
    }

    /// Returns whether it gets the context of a run, and not that of a call.
    pub(crate) fn is_of_run(self) -> bool {
        matches!(self, Self::BeforeRun | Self::AfterRun | Self::Turn(_) | Self::Message(_))
    }

    /// What writes the values of `#[config]` parameters.
    pub(super) fn configured_by(self) -> &'static str {
        match self {
            Self::Input | Self::Output => "the tool",
            Self::Hook | Self::BeforeRun | Self::AfterRun | Self::Turn(_) | Self::Message(_) => "`agent!`",
        }
    }

    /// The attribute with its place and a further option.
    pub(super) fn with_option(self, option: &str) -> String {
        let place = match self {
            Self::Hook => "",
            Self::Input => "input, ",
            Self::Output => "output, ",
            Self::BeforeRun => "pre, ",
            Self::AfterRun => "post, ",
            Self::Turn(place) => &format!("{}, ", place.method()),
            Self::Message(place) => &format!("{}, ", place.method()),
        };
        format!("#[{}({place}{option})]", self.attribute())
    }

    /// The name of the attribute.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Hook => "tool_hook",
            Self::Input | Self::Output => "guardrail",
            Self::BeforeRun | Self::AfterRun => "run_hook",
            Self::Turn(_) => "turn_hook",
            Self::Message(_) => "message_hook",
        }
    }

    /// The error for a method.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Hook => {
                "a hook is a free function; for a hook with state take `#[config]` parameters or write `impl \
             onionskin::Hook for ..`"
            }
            Self::Input => {
                "a guardrail is a free function; for one with state take `#[config]` parameters or write `impl \
             onionskin::guardrails::InputGuardrail for ..`"
            }
            Self::Output => {
                "a guardrail is a free function; for one with state take `#[config]` parameters or write `impl \
             onionskin::guardrails::OutputGuardrail for ..`"
            }
            Self::BeforeRun | Self::AfterRun => {
                "a run hook is a free function; for a hook with state take `#[config]` parameters or write `impl \
             onionskin::run_hooks::RunHook for ..`"
            }
            Self::Turn(_) => {
                "a turn hook is a free function; for a hook with state take `#[config]` parameters or write `impl \
             onionskin::turn_hooks::TurnHook for ..`"
            }
            Self::Message(_) => {
                "a message hook is a free function; for a hook with state take `#[config]` parameters or write `impl \
             onionskin::message_hooks::MessageHook for ..`"
            }
        }
    }

    /// Attributes of a tool's parameters, and the error for them.
    pub(super) fn others(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Hook | Self::BeforeRun | Self::AfterRun | Self::Turn(_) | Self::Message(_) => (
                &["arg"],
                "this is for tools: a hook takes the agent's state as `State<..>` or by `#[bind(..)]`, and a value that `agent!` \
             writes is `#[config]`",
            ),
            Self::Input | Self::Output => (
                &["arg"],
                "this is for tools: a guardrail takes the agent's state as `State<..>` or by `#[bind(..)]`, and a value that the \
             tool writes is `#[config]`",
            ),
        }
    }
}

options! {
    /// The options of a function. Each attribute has the last three.
    #[derive(Default, FromMeta)]
    pub(crate) struct Options {
        /// `tool = add_one` | makes a typed hook of this tool
        tool: Option<Path> = read::path,
        /// `ignore_errors` | an error of the hook is an event, and the run goes on with the text from before the hook
        ignore_errors: bool = read::flag,
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        state: Option<Type> = read::ty,
        /// `crate = my_onionskin` | where this crate is, if another library re-exports it
        crate_path as "crate": Option<Path> = read::path,
        /// `type_name = Audit` | another name for the type beside the function
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
    /// Its name, such as `turn_hook`.
    pub(crate) name: &'static str,
    /// How its trait is implemented by hand: `` `impl onionskin::turn_hooks::TurnHook for ..` ``.
    pub(crate) by_hand: &'static str,
    /// Where its functions run. Each is an option that is a word alone.
    pub(crate) places: &'static [Key<P>],
    /// The option that no other attribute has.
    pub(crate) own: Option<&'static str>,
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
    /// All options.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let places = self.places.iter().map(|Key { name, row, .. }| Key { name, row, read: () });
        let has = |key: &&Key| !["tool", "ignore_errors"].contains(&key.name) || self.own == Some(key.name);
        places.chain(Options::KEYS.iter().filter(has).copied()).collect()
    }

    /// Reads the options, and the place that they name first.
    pub(super) fn read(&self, tokens: TokenStream, errors: &mut Errors) -> (Options, Option<(P, Span)>) {
        let keys = self.keys();
        let was_right = errors.is_empty();
        let table =
            Table { literal: Some(self.literal), elsewhere: self.elsewhere, ..Table::new("option", &keys) };
        let mut options: Options = table.read(tokens, errors);
        let place = |(word, span): &(String, Span)| Some((find(self.places, word)?.read, *span));
        let mut places = options.places.0.iter().filter_map(place);
        let first = places.next();
        for (_, second) in places {
            errors.push(second, self.both);
        }
        if let (None, Some(which), true) = (first, self.which, was_right && errors.is_empty()) {
            errors.push(Span::call_site(), which);
        }
        // Read as one of the first place where it names none.
        let place = first.map(|(place, _)| place).or_else(|| self.places.first().map(|key| key.read));
        options.kind = place.map(Into::into).unwrap_or_default();
        (options, first)
    }
}
