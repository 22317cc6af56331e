//! Run hooks as trait objects.

use futures_util::future::BoxFuture;

use super::answer::RunAnswer;
use super::delta_filter::DeltaFilter;
use super::hook::RunHook;
use super::input::RunInput;
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;
use onionskin_tools::onion::{at_place, short_name};
use onionskin_tools::services::ServiceTypes;

/// A [`RunHook`] as a trait object.
pub(crate) trait DynRunHook: Send + Sync + 'static {
    fn name(&self) -> &'static str;

    fn ignores_errors(&self) -> bool;

    fn services_dyn(&self, taken: &mut ServiceTypes);

    fn before_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        input: &'a mut RunInput,
    ) -> BoxFuture<'a, Result<(), BoxError>>;

    fn after_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        answer: &'a mut RunAnswer,
    ) -> BoxFuture<'a, Result<(), BoxError>>;

    fn filter_dyn(&self, run: &RunContext) -> Option<Box<dyn DeltaFilter>>;
}

impl<H: RunHook> DynRunHook for H {
    fn name(&self) -> &'static str {
        short_name::<H>()
    }

    fn ignores_errors(&self) -> bool {
        H::IGNORE_ERRORS
    }

    fn services_dyn(&self, taken: &mut ServiceTypes) {
        H::services(taken);
    }

    fn before_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        input: &'a mut RunInput,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(at_place::<H, _, _>("pre", self.before_run(run, input)))
    }

    fn after_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        answer: &'a mut RunAnswer,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(at_place::<H, _, _>("post", self.after_run(run, answer)))
    }

    fn filter_dyn(&self, run: &RunContext) -> Option<Box<dyn DeltaFilter>> {
        self.delta_filter(run)
    }
}
