//! The declared behaviour of a tool: its effect, its questions, and the hints for clients.

use serde::{Deserialize, Serialize};

/// Whether a call that may have taken effect can be repeated, after a crash or by a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The tool has no effects, so a call can be repeated.
    Pure,
    /// Two runs of the tool with the same `IdempotencyKey` have the effect of one, so a
    /// call can be repeated.
    Idempotent,
    /// The effect must not occur twice, so a call is repeated only by a person's decision. Retry hooks do not
    /// repeat it. A replay from a `Journal` returns an error of kind [`InDoubt`](crate::ErrorKind::InDoubt)
    /// if the earlier run ended while the tool was running.
    Once,
    /// The default: unknown. Hooks do not repeat calls, because they may send or pay. A replay from a
    /// `Journal` repeats a call without a record, with the same `IdempotencyKey`.
    #[default]
    Unstated,
}

impl Effect {
    /// Why hooks do not repeat a call, as the end of a sentence about the tool.
    pub fn why_not_repeated(self) -> &'static str {
        match self {
            Self::Once => {
                "which must not take effect twice: remove it from the filter, or the hook from the tool"
            }
            Self::Unstated => {
                "which does not say whether a second call is safe: write `effect = pure`, `effect = idempotent` or `effect = once` at the tool"
            }
            Self::Pure | Self::Idempotent => "which may be repeated",
        }
    }

    /// Whether a call may have effects.
    pub const fn may_act(self) -> bool {
        match self {
            Self::Pure => false,
            Self::Idempotent | Self::Once | Self::Unstated => true,
        }
    }

    /// Whether a hook may repeat a call after an error: for the effects `Pure` and `Idempotent`.
    ///
    /// ```
    /// use onionskin::Effect;
    ///
    /// assert!(Effect::Pure.is_repeatable() && Effect::Idempotent.is_repeatable());
    /// assert!(!Effect::Once.is_repeatable() && !Effect::Unstated.is_repeatable());
    /// ```
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        match self {
            Self::Pure | Self::Idempotent => true,
            Self::Once | Self::Unstated => false,
        }
    }
}

/// What the calls of a tool or the runs of an agent may ask a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Asks {
    #[default]
    /// Nothing.
    Nothing,
    /// Whether a call may run.
    Approval,
    /// Questions of other kinds too.
    More,
}

/// Hints about a tool's behaviour, as MCP's `ToolAnnotations`
/// (<https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations>). Clients must not rely
/// on them. `None` gives no hint.
///
/// ```
/// use onionskin::tool;
///
/// /// Looks a word up.
/// #[tool(annotations(read_only, open_world = false))]
/// fn look_up(word: &str) -> String {
///     format!("{word}: a word")
/// }
///
/// let hints = look_up::spec().definition().annotations;
/// assert_eq!((hints.read_only, hints.open_world, hints.destructive), (Some(true), Some(false), None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// The tool changes nothing.
    #[serde(default, rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The tool may destroy data.
    #[serde(default, rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Repeated calls with the same arguments have no further effect.
    #[serde(default, rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The tool interacts with external entities.
    #[serde(default, rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Annotations {
    /// No hints.
    pub const NONE: Self = Self { read_only: None, destructive: None, idempotent: None, open_world: None };
}

/// What `#[tool]` declares around a function: its own hooks and stages.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layers {
    /// The names of the hooks, the outermost first.
    pub hooks: &'static [&'static str],
    /// The names of the guardrails on arguments, in the order in which they run.
    pub input_guardrails: &'static [&'static str],
    /// The names of the guardrails on results, in the order in which they run.
    pub output_guardrails: &'static [&'static str],
    /// Whether results are cached.
    pub has_cache: bool,
}
