//! Run hooks: code around a whole run of an agent.

mod answer;
mod check_error;
mod delta_filter;
mod erased;
mod forms;
mod hook;
mod input;

pub use answer::RunAnswer;
pub use check_error::{CheckTrigger, InputCheckError, OutputCheckError};
pub use delta_filter::DeltaFilter;
pub(crate) use delta_filter::DeltaFilters;
pub(crate) use erased::DynRunHook;
pub use forms::{AfterRunReturn, BeforeRunReturn, InjectAnswer, InjectInput};
pub use hook::{RunHook, StateOfRunHook, ValuesOfRunHook};
pub use input::RunInput;
