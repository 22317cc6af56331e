//! The places in a run where hooks run. A new place is an entry here.

/// A place of hooks around runs, around turns, or on messages: what they take and return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) family: Family,
    /// The word for the place as an option.
    pub(crate) option: &'static str,
    /// The method of the trait.
    pub(crate) method: &'static str,
    /// What the hook gets beside the run.
    pub(crate) parts: &'static [Part],
    /// The trait that takes what the function returns.
    pub(crate) returns: &'static str,
    pub(crate) answer: Answer,
}

/// The hooks that share a trait. Those of runs share it too, and differ in their text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    BeforeRun,
    AfterRun,
    Turn,
    Message,
}

/// What the method of the trait gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Nothing,
    /// A type of the runtime, in an `Option`.
    Optional(&'static str),
    Always(&'static str),
}

/// A part of a run, a turn or a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) ty: &'static str,
    /// Whether the hook may change it.
    pub(crate) changes: bool,
}

const fn shared(name: &'static str, ty: &'static str) -> Part {
    Part { name, ty, changes: false }
}

const fn changed(name: &'static str, ty: &'static str) -> Part {
    Part { name, ty, changes: true }
}

/// A place whose option is called as its method.
const fn place(
    family: Family,
    method: &'static str,
    parts: &'static [Part],
    returns: &'static str,
    answer: Answer,
) -> (&'static str, Place) {
    (method, Place { family, option: method, method, parts, returns, answer })
}

/// The places of `#[run_hook]`.
pub(crate) const RUN: &[(&str, Place)] = &[
    (
        "pre",
        Place {
            family: Family::BeforeRun,
            option: "pre",
            method: "before_run",
            parts: &[changed("input", "RunInput")],
            returns: "BeforeRunReturn",
            answer: Answer::Nothing,
        },
    ),
    (
        "post",
        Place {
            family: Family::AfterRun,
            option: "post",
            method: "after_run",
            parts: &[changed("answer", "RunAnswer")],
            returns: "AfterRunReturn",
            answer: Answer::Nothing,
        },
    ),
];

/// The places of `#[turn_hook]`.
pub(crate) const TURN: &[(&str, Place)] = &[
    place(
        Family::Turn,
        "before_llm_call",
        &[changed("request", "TurnRequest")],
        "BeforeModelReturn",
        Answer::Optional("ModelResponse"),
    ),
    place(
        Family::Turn,
        "after_llm_call",
        &[changed("response", "ModelResponse")],
        "TurnHookReturn",
        Answer::Nothing,
    ),
    place(
        Family::Turn,
        "before_tool_call",
        &[changed("call", "TurnToolCall")],
        "BeforeToolReturn",
        Answer::Optional("ToolOutput"),
    ),
    place(
        Family::Turn,
        "after_tool_call",
        &[shared("call", "TurnToolCall"), changed("result", "ToolResultMessage")],
        "TurnHookReturn",
        Answer::Nothing,
    ),
    place(
        Family::Turn,
        "after_turn_complete",
        &[shared("turn", "CompletedTurn")],
        "TurnHookReturn",
        Answer::Nothing,
    ),
];

/// The places of `#[message_hook]`.
pub(crate) const MESSAGE: &[(&str, Place)] = &[
    place(
        Family::Message,
        "process_message_before_send",
        &[
            shared("sender", "Participant"),
            changed("message", "SentMessage"),
            shared("recipient", "Participant"),
            shared("silent", "bool"),
        ],
        "BeforeSendReturn",
        Answer::Always("Delivery"),
    ),
    place(
        Family::Message,
        "update_agent_state",
        &[shared("messages", "History")],
        "BeforeReplyReturn",
        Answer::Nothing,
    ),
    place(
        Family::Message,
        "process_last_received_message",
        &[changed("message", "Message")],
        "BeforeReplyReturn",
        Answer::Nothing,
    ),
    place(
        Family::Message,
        "process_all_messages_before_reply",
        &[changed("messages", "History")],
        "BeforeReplyReturn",
        Answer::Nothing,
    ),
];

impl Family {
    /// The name of its attribute, the word for a hook, its trait, and all places of the attribute.
    const fn facts(self) -> (&'static str, &'static str, &'static str, &'static [(&'static str, Place)]) {
        match self {
            Self::BeforeRun | Self::AfterRun => ("run_hook", "run hook", "RunHook", RUN),
            Self::Turn => ("turn_hook", "turn hook", "TurnHook", TURN),
            Self::Message => ("message_hook", "message hook", "MessageHook", MESSAGE),
        }
    }

    pub(crate) fn attribute(self) -> &'static str {
        self.facts().0
    }

    pub(crate) fn word(self) -> &'static str {
        self.facts().1
    }

    pub(crate) fn trait_name(self) -> &'static str {
        self.facts().2
    }

    /// The parts of all places of the attribute.
    pub(crate) fn parts(self) -> impl Iterator<Item = &'static Part> {
        self.facts().3.iter().flat_map(|(_, place)| place.parts)
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
