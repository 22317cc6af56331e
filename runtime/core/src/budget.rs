//! Budgets: tokens, money, tool calls and time that runs, sessions and users share, and the store of what was spent.

pub use onionskin_tools::budget::{
    Account, Amounts, Budget, BudgetError, BudgetExceeded, BudgetKey, BudgetScope, BudgetStatus, BudgetStore,
    Charge, MemoryBudgets, Reserved, Resource, Spending,
};
