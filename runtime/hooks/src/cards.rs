//! The ready hooks as cards construct them, from numbers and texts: `{ hook: "::onionskin::hooks::timeout", with: [20] }`. A card names a hook by
//! its path in [`hooks`](crate), and gets the type of that name here.

use std::time::Duration;

use onionskin_core::made::{FromValues, HookTools};
use onionskin_core::services::ServiceTypes;
use onionskin_core::{Args, Hook, Next, ToolContext, ToolResult};

use crate::approving::Condition;
use crate::{CircuitBreaker, RateLimit, Redaction};

macro_rules! card_hooks {
    ($($(#[doc = $doc:literal])+ $hook:ident($($value:ident: $type:ty),+) => $made:expr;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone)]
        pub struct $hook(crate::$hook);

        impl From<($($type,)+)> for $hook {
            fn from(($($value,)+): ($($type,)+)) -> Self {
                Self($made)
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

fn seconds(seconds: u32) -> Duration {
    Duration::from_secs(seconds.into())
}

card_hooks! {
    /// [`timeout`](struct@crate::timeout) after a number of seconds.
    timeout(limit: u32) => crate::timeout::new(seconds(limit));
    /// [`rate_limit`](struct@crate::rate_limit) of a number of permits in a number of seconds.
    rate_limit(permits: u32, per: u32) => crate::rate_limit::new(RateLimit::new(permits, seconds(per)));
    /// [`circuit_breaker`](struct@crate::circuit_breaker) that opens after a number of failures, for a number of seconds.
    circuit_breaker(failures: u32, open_for: u32) => {
        crate::circuit_breaker::new(CircuitBreaker::new(failures, seconds(open_for)))
    };
    /// [`clamp_argument`](struct@crate::clamp_argument) to a range from a number to another.
    clamp_argument(name: String, from: i64, to: i64) => crate::clamp_argument::new(name, from..=to);
    /// [`cache_results`](struct@crate::cache_results) of a number of results, each for a number of seconds.
    cache_results(capacity: usize, ttl: u32) => crate::cache_results::new(capacity, seconds(ttl));
    /// [`redact`](struct@crate::redact) of fields, with commas between their names.
    redact(fields: String) => crate::redact::new(Redaction::fields(fields.split(',').map(str::trim)));
    /// [`require_approval`](struct@crate::require_approval) of the calls whose argument is beyond a bound (`cents > 1000`, also with `>=`, `<` and
    /// `<=`), or matches a regular expression (`path ~ ^/etc/`). Dots lead to a field or a position inside of an argument: `order.items.0.cents`.
    /// A call whose argument is missing, or of another type, needs approval too.
    require_approval(condition: String) => {
        let condition = Condition::new(&condition);
        crate::require_approval::new(move |_, args| condition.holds(args))
    };
}
