//! The ready hooks as cards construct them, from numbers and texts: `{ hook: "::onionskin::hooks::timeout", with: [20] }`. A card names a hook by
//! its path in [`hooks`](crate), and gets the type of that name here.

use std::time::Duration;

use onionskin_core::made::{FromValues, HookTools};
use onionskin_core::services::ServiceTypes;
use onionskin_core::{Args, Hook, Next, ToolContext, ToolResult};

use crate::approving::Condition;
#[doc(hidden)]
pub use crate::unfit::Unfit;
use crate::unfit::{ensure, or_panic};
use crate::{CircuitBreaker, RateLimit, Redaction};

/// A hook that cards construct. The loader of cards checks its values before the agent is built.
#[doc(hidden)]
pub trait CardHook {
    type Values;

    /// The names of the values, for authors of cards.
    const NAMES: &'static [&'static str];

    /// Whether the values make a hook that does something.
    fn check(values: Self::Values) -> Result<(), Unfit>;
}

impl CardHook for crate::concurrency {
    type Values = (usize,);

    const NAMES: &'static [&'static str] = &["calls"];

    fn check((calls,): (usize,)) -> Result<(), Unfit> {
        Self::try_new(calls).map(drop)
    }
}

impl CardHook for crate::spill {
    type Values = (usize,);

    const NAMES: &'static [&'static str] = &["bytes"];

    fn check((bytes,): (usize,)) -> Result<(), Unfit> {
        Self::try_new(bytes).map(drop)
    }
}

macro_rules! card_hooks {
    ($($(#[doc = $doc:literal])+ $hook:ident($($value:ident: $type:ty),+) => $made:expr;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone)]
        pub struct $hook(crate::$hook);

        impl $hook {
            fn try_new(($($value,)+): ($($type,)+)) -> Result<Self, Unfit> {
                Ok(Self($made))
            }
        }

        impl From<($($type,)+)> for $hook {
            fn from(values: ($($type,)+)) -> Self {
                or_panic(Self::try_new(values))
            }
        }

        impl CardHook for $hook {
            type Values = ($($type,)+);

            const NAMES: &'static [&'static str] = &[$(stringify!($value)),+];

            fn check(values: Self::Values) -> Result<(), Unfit> {
                Self::try_new(values).map(drop)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Hook for $hook {
            type Made = FromValues<($($type,)+)>;

            fn services(taken: &mut ServiceTypes) {
                crate::$hook::services(taken);
            }

            fn tools(brought: &mut HookTools) {
                crate::$hook::tools(brought);
            }

            async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
                self.0.call(cx, args, next).await
            }
        }
    )+};
}

/// The name of a field cannot have what divides names in other lists, nor what patterns and paths consist of: such a name would hide nothing.
fn field_name(name: &str) -> Result<(), Unfit> {
    let is_other = |c: char| c.is_whitespace() || "[](){}<>*+?^$|\\/.;:=~`'\"".contains(c);
    ensure(
        !name.contains(is_other),
        0,
        format!(
            "`redact` takes names of fields, with commas between them, and no patterns or paths, and `{name}` is no such name: write \
             `password, token`"
        ),
    )
}

fn time(seconds: u32) -> Duration {
    Duration::from_secs(seconds.into())
}

card_hooks! {
    /// [`timeout`](struct@crate::timeout) after a number of seconds.
    timeout(seconds: u32) => crate::timeout::try_new(time(seconds))?;
    /// [`rate_limit`](struct@crate::rate_limit) of a number of permits in a number of seconds.
    rate_limit(permits: u32, seconds: u32) => {
        crate::rate_limit::new(RateLimit::try_new(permits, time(seconds))?)
    };
    /// [`circuit_breaker`](struct@crate::circuit_breaker) that opens after a number of failures, for a number of seconds.
    circuit_breaker(failures: u32, seconds: u32) => {
        crate::circuit_breaker::new(CircuitBreaker::try_new(failures, time(seconds))?)
    };
    /// [`clamp_argument`](struct@crate::clamp_argument) to a range from a number to another.
    clamp_argument(argument: String, from: i64, to: i64) => {
        crate::clamp_argument::try_new(argument.into(), from..=to)?
    };
    /// [`cache_results`](struct@crate::cache_results) of a number of results, each for a number of seconds.
    cache_results(results: usize, seconds: u32) => crate::cache_results::try_new(results, time(seconds))?;
    /// [`redact`](struct@crate::redact) of fields, with commas between their names.
    redact(fields: String) => {
        let names: Vec<_> = fields.split(',').map(str::trim).collect();
        names.iter().try_for_each(|name| field_name(name))?;
        crate::redact::new(Redaction::try_fields(names)?)
    };
    /// [`require_approval`](struct@crate::require_approval) of the calls whose argument is beyond a bound (`cents > 1000`, also with `>=`, `<` and
    /// `<=`), or matches a regular expression (`path ~ ^/etc/`). Dots lead to a field or a position inside of an argument: `order.items.0.cents`.
    /// A call whose argument is missing, or of another type, needs approval too.
    require_approval(condition: String) => {
        let condition = Condition::new(&condition).map_err(|why| (0, why))?;
        crate::require_approval::new(move |_, args| condition.holds(args))
    };
}
