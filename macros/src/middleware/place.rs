//! The places in a run where hooks run. A new place is an entry here, and its row at its attribute.

/// A place of hooks around runs, around turns, or on messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    BeforeRun,
    AfterRun,
    BeforeLlm,
    AfterLlm,
    BeforeTool,
    AfterTool,
    AfterTurn,
    BeforeSend,
    UpdateState,
    LastReceived,
    BeforeReply,
}

/// What the hooks at a place take and return.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) family: Family,
    /// The word for the place as an option.
    pub(crate) option: &'static str,
    /// The method of the trait.
    pub(crate) method: &'static str,
    /// What the hook gets beside the run.
    pub(crate) parts: &'static [Part],
    /// The trait that takes what the function returns.
    pub(crate) returns: &'static str,
}

/// The hooks that share an attribute and a trait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Run,
    Turn,
    Message,
}

/// A part of a run, a turn or a message.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) ty: &'static str,
    /// Whether the hook may change it.
    pub(crate) changes: bool,
}

const fn seen(name: &'static str, ty: &'static str) -> Part {
    Part { name, ty, changes: false }
}

const fn changed(name: &'static str, ty: &'static str) -> Part {
    Part { name, ty, changes: true }
}

impl Place {
    const ALL: [Self; 11] = [
        Self::BeforeRun,
        Self::AfterRun,
        Self::BeforeLlm,
        Self::AfterLlm,
        Self::BeforeTool,
        Self::AfterTool,
        Self::AfterTurn,
        Self::BeforeSend,
        Self::UpdateState,
        Self::LastReceived,
        Self::BeforeReply,
    ];

    pub(crate) const fn rules(self) -> Rules {
        const fn run(
            option: &'static str,
            method: &'static str,
            parts: &'static [Part],
            returns: &'static str,
        ) -> Rules {
            Rules { family: Family::Run, option, method, parts, returns }
        }
        const fn turn(method: &'static str, parts: &'static [Part], returns: &'static str) -> Rules {
            Rules { family: Family::Turn, option: method, method, parts, returns }
        }
        const fn message(method: &'static str, parts: &'static [Part], returns: &'static str) -> Rules {
            Rules { family: Family::Message, option: method, method, parts, returns }
        }
        match self {
            Self::BeforeRun => {
                run("pre", "before_run", &const { [changed("input", "RunInput")] }, "BeforeRunReturn")
            }
            Self::AfterRun => {
                run("post", "after_run", &const { [changed("answer", "RunAnswer")] }, "AfterRunReturn")
            }
            Self::BeforeLlm => {
                turn("before_llm_call", &const { [changed("request", "TurnRequest")] }, "BeforeModelReturn")
            }
            Self::AfterLlm => {
                turn("after_llm_call", &const { [changed("response", "ModelResponse")] }, "TurnHookReturn")
            }
            Self::BeforeTool => {
                turn("before_tool_call", &const { [changed("call", "TurnToolCall")] }, "BeforeToolReturn")
            }
            Self::AfterTool => turn(
                "after_tool_call",
                &const { [seen("call", "TurnToolCall"), changed("result", "ToolResultMessage")] },
                "TurnHookReturn",
            ),
            Self::AfterTurn => {
                turn("after_turn_complete", &const { [seen("turn", "CompletedTurn")] }, "TurnHookReturn")
            }
            Self::BeforeSend => message(
                "process_message_before_send",
                &const {
                    [
                        seen("sender", "Participant"),
                        changed("message", "SentMessage"),
                        seen("recipient", "Participant"),
                        seen("silent", "bool"),
                    ]
                },
                "BeforeSendReturn",
            ),
            Self::UpdateState => {
                message("update_agent_state", &const { [seen("messages", "History")] }, "BeforeReplyReturn")
            }
            Self::LastReceived => message(
                "process_last_received_message",
                &const { [changed("message", "Message")] },
                "BeforeReplyReturn",
            ),
            Self::BeforeReply => message(
                "process_all_messages_before_reply",
                &const { [changed("messages", "History")] },
                "BeforeReplyReturn",
            ),
        }
    }
}

impl Family {
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Run => "run_hook",
            Self::Turn => "turn_hook",
            Self::Message => "message_hook",
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Run => "run hook",
            Self::Turn => "turn hook",
            Self::Message => "message hook",
        }
    }

    /// The trait of its hooks.
    pub(crate) fn trait_name(self) -> &'static str {
        match self {
            Self::Run => "RunHook",
            Self::Turn => "TurnHook",
            Self::Message => "MessageHook",
        }
    }

    /// The parts of all its places.
    pub(crate) fn parts(self) -> impl Iterator<Item = &'static Part> {
        let places = Place::ALL.into_iter().map(Place::rules);
        places.filter(move |rules| rules.family == self).flat_map(|rules| rules.parts)
    }
}

impl Part {
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
