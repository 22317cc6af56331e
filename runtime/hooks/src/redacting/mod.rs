//! The hook [`redact`](struct@redact): no values of some fields, and no texts of some patterns.

mod mask;
mod result;

use std::sync::Arc;

use onionskin_core::made::FromValues;
use onionskin_core::{Args, Hook, Next, ToolContext, ToolResult};
use regex_lite::Regex;

use crate::unfit::{Unfit, ensure, or_panic};
use mask::Mask;

/// What the hook [`redact`](struct@redact) takes out: values of fields, and texts that match a pattern.
///
/// ```
/// use onionskin::hooks::Redaction;
///
/// let redaction = Redaction::fields(["password", "token"]).pattern(r"sk-[A-Za-z0-9]{20,}");
/// # drop(redaction);
/// ```
#[derive(Debug, Clone)]
pub struct Redaction {
    mask: Arc<Mask>,
    in_arguments: bool,
}

/// Replaces values of some fields and texts of some patterns by `[redacted]`, in the results that outer hooks and the model see. Unlike
/// secrets, which a session takes out of all results by itself, these are known by their names or their form.
///
/// ```
/// use onionskin::hooks::{Redaction, redact};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::{Value, json};
///
/// /// Finds a user.
/// #[tool]
/// fn user() -> Value {
///     json!({ "name": "Ada", "password": "hunter2" })
/// }
///
/// agent! { Clerk { instruction: "Answer.", function_tools: [user], tool_hooks: [redact(Redaction::fields(["password"]))] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("user", json!({})), ScriptedTurn::say("{last}")]);
/// let output = Clerk::builder().model(model).run("Who?").await.unwrap();
/// assert_eq!(output.text, r#"{"name":"Ada","password":"[redacted]"}"#);
/// # });
/// ```
///
/// A field is a key of an object in JSON, at any depth, in any case: in the structured value of a result, and in a text that is JSON as a
/// whole. For other texts write a pattern. Patterns apply to each text, and in JSON to each string, key and number by itself. What is in
/// images, other bytes and metadata stays. If a field is replaced in a text, numbers of more than 64 bits in it are rounded.
///
/// Errors: the texts of tool errors and stops are changed in the same way. An error that changes, or whose cause shows such a field or pattern,
/// loses its cause. The reason of an abort stays as it is.
///
/// Cancellation: dropping the hook drops the call.
///
/// Tools with `effect = once`: the hook never calls a tool twice.
#[derive(Debug, Clone)]
pub struct redact {
    redaction: Redaction,
}

impl Redaction {
    /// Takes out the values of the fields with these names.
    ///
    /// # Panics
    /// Panics if a name is empty.
    #[must_use]
    pub fn fields<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        or_panic(Self::try_fields(names))
    }

    pub(crate) fn try_fields<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, Unfit> {
        let names: Vec<String> = names.into_iter().map(|name| name.into().to_lowercase()).collect();
        let all_named = names.iter().all(|name| !name.is_empty());
        ensure(all_named, 0, "a field to redact has no name: remove it, or name it")?;
        Ok(Self { mask: Arc::new(Mask::new(names)), in_arguments: false })
    }

    /// Also takes out the texts that match a regular expression, in the syntax of the crate
    /// [`regex-lite`](https://docs.rs/regex-lite).
    ///
    /// # Panics
    /// Panics if it is not a regular expression, or matches an empty text.
    #[must_use]
    pub fn pattern(mut self, pattern: &str) -> Self {
        let regex = Regex::new(pattern).unwrap_or_else(|error| {
            panic!("the pattern `{pattern}` to redact is no regular expression: {error}")
        });
        assert!(
            !regex.is_match(""),
            "the pattern `{pattern}` to redact matches an empty text, so it is everywhere"
        );
        Arc::make_mut(&mut self.mask).patterns.push(regex);
        self
    }

    /// Also takes them out of the arguments, before inner hooks and the tool see them.
    #[must_use]
    pub fn in_arguments(self) -> Self {
        Self { in_arguments: true, ..self }
    }
}

impl redact {
    /// Creates the hook.
    ///
    /// # Panics
    /// Panics if there is neither a field nor a pattern, because the hook would do nothing. In `agent!`, that is a
    /// [`BuildError`](onionskin_core::BuildError).
    #[must_use]
    pub fn new(redaction: Redaction) -> Self {
        assert!(
            !redaction.mask.is_empty(),
            "`redact` has no field and no pattern: name one, or remove the hook"
        );
        Self { redaction }
    }
}

from_values!(redact(redaction: Redaction));

#[diagnostic::do_not_recommend]
impl Hook for redact {
    type Made = FromValues<(Redaction,)>;

    async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let Redaction { mask, in_arguments } = &self.redaction;
        if *in_arguments {
            mask.change_args(args);
        }
        let mut result = next.run(args).await;
        result::change(mask, &mut result);
        result
    }
}
