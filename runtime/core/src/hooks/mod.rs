//! Ready-made hooks. Each is also an example of one form: [`log`](fn@log) is an after hook, [`timing`](fn@timing) an
//! around hook, and [`retry`](fn@retry) a configured hook.
//!
//! ```
//! use onionskin::{agent, hooks};
//!
//! agent! {
//!     Clerk {
//!         instruction: "Answer.",
//!         tool_hooks: [hooks::log, hooks::timing, hooks::retry(3)],
//!     }
//! }
//!
//! // The same hook, added at run time.
//! let builder = Clerk::builder().hook(hooks::retry::new(3));
//! # drop(builder);
//! ```

// A module cannot have the name of the hook that it exports, because both are in the type namespace.
mod logging;
mod measuring;
mod retrying;

pub use logging::log;
pub use measuring::{Elapsed, timing};
pub use retrying::retry;
