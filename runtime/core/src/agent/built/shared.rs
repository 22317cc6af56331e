//! The parts that all agents of a program share.

use std::sync::Arc;

use onionskin_tools::approval::DynApprover;
use onionskin_tools::budget::{Budget, BudgetError, BudgetStore, Budgets, MemoryBudgets, Spender};
use onionskin_tools::context::RunSeed;
use onionskin_tools::journal::Journal;
use onionskin_tools::question::DynAnswerer;

use crate::agent::parts::server_pool::Pool;

use super::initial_state::StateMakers;
use super::run_ids::RunIds;
use super::stored_sessions::StoredSessions;
use super::toolboxes::Toolboxes;

/// The parts that all agents of a program share.
#[derive(Default)]
pub(in crate::agent) struct Shared {
    pub(in crate::agent) states: StateMakers,
    /// The secrets that every session knows.
    pub(in crate::agent) secrets: Vec<Vec<u8>>,
    pub(in crate::agent) toolboxes: Toolboxes,
    pub(in crate::agent) journal: Option<Arc<dyn Journal>>,
    pub(in crate::agent) approver: Option<Arc<dyn DynApprover>>,
    pub(in crate::agent) answerer: Option<Arc<dyn DynAnswerer>>,
    pub(in crate::agent) budgets: SharedBudgets,
    pub(in crate::agent) servers: Pool,
    pub(in crate::agent) run_ids: RunIds,
    pub(in crate::agent) sessions: Option<StoredSessions>,
}

/// The budgets of a program, and their store.
#[derive(Default)]
pub(in crate::agent) struct SharedBudgets {
    pub(in crate::agent) all: Vec<Arc<Budget>>,
    /// The store that the program set.
    pub(in crate::agent) store: Option<Arc<dyn BudgetStore>>,
    memory: Arc<MemoryBudgets>,
}

impl SharedBudgets {
    /// The budgets of a run: those of its callers, of the program, and of its request.
    ///
    /// # Errors
    /// Returns an error if the run cannot have one of them.
    pub(in crate::agent) fn for_run(
        &self,
        seed: &RunSeed,
        requested: &[Arc<Budget>],
        has_own_session: bool,
    ) -> Result<Budgets, BudgetError> {
        let callers = seed.budgets.clone();
        if self.all.is_empty() && requested.is_empty() {
            return Ok(callers);
        }
        requested.iter().try_for_each(|budget| budget.check())?;
        let identity = &seed.identity;
        let run = match &*identity.scope {
            "" => Arc::clone(&identity.run_id),
            scope => format!("{} {scope}", identity.run_id).into(),
        };
        let session = seed.session.as_ref().map(|session| session.id().into()).unwrap_or_default();
        let (user, is_continuable) = (identity.user.clone(), seed.journal.is_some());
        let spender = Spender { run, session, user, is_continuable, has_own_session };
        let memory = || Arc::clone(&self.memory) as Arc<dyn BudgetStore>;
        let store = self.store.clone().unwrap_or_else(memory);
        callers.with(self.all.iter().chain(requested), &store, &spender)
    }
}
