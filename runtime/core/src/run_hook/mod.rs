//! Run hooks: code around a whole run of an agent.

mod answer;
mod check_error;
mod delta_filter;
mod hook;
mod input;

pub use answer::RunAnswer;
pub use check_error::{CheckTrigger, InputCheckError, OutputCheckError};
pub use delta_filter::DeltaFilter;
pub(crate) use delta_filter::DeltaFilters;
pub(crate) use hook::DynRunHook;
pub use hook::RunHook;
pub use input::RunInput;
