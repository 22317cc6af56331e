//! The options that hooks and guardrails share, and the words in which their errors differ.

use proc_macro2::Ident;
use syn::{Path, Type};

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
    pub(crate) fn method(self) -> &'static str {
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
    pub(crate) fn method(self) -> &'static str {
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

    /// The attribute up to further options.
    pub(super) fn open(self) -> &'static str {
        match self {
            Self::Hook => "tool_hook(",
            Self::Input => "guardrail(input, ",
            Self::Output => "guardrail(output, ",
            Self::BeforeRun => "run_hook(pre, ",
            Self::AfterRun => "run_hook(post, ",
            Self::Turn(place) => match place {
                TurnPlace::BeforeLlm => "turn_hook(before_llm_call, ",
                TurnPlace::AfterLlm => "turn_hook(after_llm_call, ",
                TurnPlace::BeforeTool => "turn_hook(before_tool_call, ",
                TurnPlace::AfterTool => "turn_hook(after_tool_call, ",
                TurnPlace::AfterTurn => "turn_hook(after_turn_complete, ",
            },
            Self::Message(place) => match place {
                MessagePlace::BeforeSend => "message_hook(process_message_before_send, ",
                MessagePlace::UpdateState => "message_hook(update_agent_state, ",
                MessagePlace::LastReceived => "message_hook(process_last_received_message, ",
                MessagePlace::BeforeReply => "message_hook(process_all_messages_before_reply, ",
            },
        }
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

/// The options that hooks and guardrails have in common.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) kind: MiddlewareKind,
    /// True if the option `tool` is there, also with a wrong value.
    pub(crate) is_typed: bool,
    /// The tool of a typed hook.
    pub(crate) tool: Option<Path>,
    pub(crate) crate_path: Option<Path>,
    pub(crate) type_name: Option<Ident>,
    /// The agent's state, for `#[bind(..)]`.
    pub(crate) state: Option<Type>,
}
