//! The hook [`clamp_argument`](struct@clamp_argument): a number within a range.

use std::ops::RangeInclusive;
use std::sync::Arc;

use onionskin_core::made::FromValues;
use onionskin_core::{Args, Exit, Hook, Next, ToolContext, ToolResult};
use serde_json::Value;

use crate::unfit::{Unfit, ensure, or_panic};

/// Holds a number in the arguments to a range: a smaller one becomes the start, a larger one the end. A missing argument, and one that is
/// not a number, stay as they are.
///
/// ```
/// use onionskin::hooks::clamp_argument;
/// use onionskin::{agent, tool};
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// agent! {
///     Clerk { instruction: "Add.", function_tools: [add_one], tool_hooks: [clamp_argument("x", 0..=10) for [add_one]] }
/// }
/// ```
///
/// Errors: a call of a tool whose schema has no such argument is refused, because a misspelt name would let all numbers pass. Errors of
/// the tool are returned unchanged.
///
/// Cancellation: dropping the hook drops the call.
///
/// Tools with `effect = once`: the hook never calls a tool twice, and a refused call did not run.
#[derive(Debug, Clone)]
pub struct clamp_argument {
    name: Arc<str>,
    range: RangeInclusive<i64>,
}

impl clamp_argument {
    /// Creates the hook for the argument `name`.
    ///
    /// # Panics
    /// Panics if the range is empty. In `agent!`, that is a [`BuildError`](onionskin_core::BuildError).
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, range: RangeInclusive<i64>) -> Self {
        or_panic(Self::try_new(name.into(), range))
    }

    pub(crate) fn try_new(name: Arc<str>, range: RangeInclusive<i64>) -> Result<Self, Unfit> {
        ensure(
            !range.is_empty(),
            1,
            format!(
                "the range of `clamp_argument` from {} to {} is empty: write the smaller number first",
                range.start(),
                range.end()
            ),
        )?;
        Ok(Self { name, range })
    }

    /// Whether the tool can have the argument, as far as its schema tells.
    fn fits(&self, cx: &ToolContext, args: &Args) -> bool {
        // A hook of a tool sees the names of its function, and the definition has those that the model sees.
        let schema = args.attached_schema().unwrap_or(&cx.definition().input_schema);
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.is_none_or(|properties| properties.contains_key(&*self.name))
    }

    /// The number that replaces a number outside of the range.
    fn clamped(&self, value: &Value) -> Option<i64> {
        let (start, end) = (*self.range.start(), *self.range.end());
        match (value.as_i64(), value.as_f64()) {
            (Some(number), _) => Some(number.clamp(start, end)).filter(|clamped| *clamped != number),
            // A fraction, or a number beyond `i64`. The bounds are rounded, so a fraction beside a bound of 17 digits may pass.
            #[expect(
                clippy::cast_precision_loss,
                reason = "the comparison with a fraction is one of rounded numbers"
            )]
            (None, Some(number)) if number < start as f64 => Some(start),
            #[expect(
                clippy::cast_precision_loss,
                reason = "the comparison with a fraction is one of rounded numbers"
            )]
            (None, Some(number)) if number > end as f64 => Some(end),
            (None, Some(_) | None) => None,
        }
    }
}

impl From<(&'static str, RangeInclusive<i64>)> for clamp_argument {
    fn from((name, range): (&'static str, RangeInclusive<i64>)) -> Self {
        Self::new(name, range)
    }
}

#[diagnostic::do_not_recommend]
impl Hook for clamp_argument {
    type Made = FromValues<(&'static str, RangeInclusive<i64>)>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        match args.get(&self.name).map(|value| self.clamped(value)) {
            Some(Some(number)) => {
                // Arguments that are no object have no value, so this one is.
                let _ = args.insert(&*self.name, number);
            }
            Some(None) => {}
            None if self.fits(cx, args) => {}
            None => {
                return Err(Exit::denied(format!(
                    "`{}` has no argument `{}`, which a hook holds to a range, so it was not called",
                    cx.tool_name(),
                    self.name
                )));
            }
        }
        next.run(args).await
    }
}
