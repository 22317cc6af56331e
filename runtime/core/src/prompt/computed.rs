//! Sync and async functions as texts of a prompt in `agent!`.

use std::future::Future;

use super::source::{ComputedText, PromptAnswer, PromptSource};
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;

/// Creates a source from a function.
pub fn computed(function: for<'run> fn(&'run RunContext) -> ComputedText<'run>) -> impl PromptSource {
    Computes(function)
}

/// Returns the closure; lets the compiler infer the type of its parameter.
pub fn by_closure<A: PromptAnswer, F: Fn(&RunContext) -> A>(closure: F) -> F {
    closure
}

struct Computes(for<'run> fn(&'run RunContext) -> ComputedText<'run>);

impl PromptSource for Computes {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        (self.0)(run).await
    }
}

/// The return value of the user's function. The compiler selects the inherent method if it is a future,
/// otherwise the method of [`ComputedNow`].
pub struct Computed<A>(pub A);

impl<F: Future<Output: PromptAnswer> + Send> Computed<F> {
    #[doc(hidden)]
    pub fn returned<'run>(self) -> ComputedLater<'run>
    where
        F: 'run,
    {
        ComputedLater(Box::pin(async move { self.0.await.boxed().await }))
    }
}

#[doc(hidden)]
pub trait ComputedNow<A> {
    fn returned(self) -> A;
}

impl<A> ComputedNow<A> for Computed<A> {
    fn returned(self) -> A {
        self.0
    }
}

/// A text that an async function computes.
pub struct ComputedLater<'run>(ComputedText<'run>);

#[diagnostic::do_not_recommend]
impl PromptAnswer for ComputedLater<'_> {
    fn boxed<'r>(self) -> ComputedText<'r>
    where
        Self: 'r,
    {
        self.0
    }
}
