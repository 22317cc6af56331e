//! The function that replaces the loop of an agent of `agent!`.

use futures_util::future::BoxFuture;

use crate::agent::error::run_error::RunError;

/// The return value of the function in `run: ..` of `agent!`: the future of
/// `async fn(run: &AgentRun, input: String) -> Result<String, RunError>`.
#[diagnostic::on_unimplemented(
    message = "a function that returns `{Self}` cannot be the `run` of an agent",
    label = "write `async fn name(run: &AgentRun, input: String) -> Result<String, RunError>`",
    note = "the types are `onionskin::run::AgentRun` and `onionskin::RunError`; what the function holds across an `.await` must be `Send`"
)]
pub trait StrategyAnswer<'r> {
    #[doc(hidden)]
    fn boxed(self) -> BoxFuture<'r, Result<String, RunError>>;
}

#[diagnostic::do_not_recommend]
impl<'r, F: Future<Output = Result<String, RunError>> + Send + 'r> StrategyAnswer<'r> for F {
    fn boxed(self) -> BoxFuture<'r, Result<String, RunError>> {
        Box::pin(self)
    }
}
