//! Budgets: what runs may spend together, and the store of what they spent.

mod active;
mod amounts;
mod declared;
mod error;
mod held;
mod memory;
mod status;
mod store;

#[doc(hidden)]
pub use active::{Budgets, Spender};
pub use amounts::{Amounts, Resource};
pub use declared::{Budget, BudgetScope};
pub use error::{BudgetError, BudgetExceeded};
#[doc(hidden)]
pub use held::{Held, Need};
pub use memory::MemoryBudgets;
pub use status::BudgetStatus;
pub use store::{Account, BudgetKey, BudgetStore, Charge, Reserved, Spending};
