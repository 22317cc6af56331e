//! The store of budgets.

use std::time::SystemTime;

use onionskin_core::BoxFuture;
use onionskin_core::budget::{
    Account, Amounts, BudgetError, BudgetKey, BudgetStore, Charge, Reserved, Spending,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::Sqlite;
use crate::failure::Failure;
use crate::writer::Work;

impl From<Failure> for BudgetError {
    fn from(failure: Failure) -> Self {
        Self::storage(failure)
    }
}

impl BudgetStore for Sqlite {
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        let charges = charges.to_vec();
        Box::pin(async move {
            // A refusal is a success of the job, because it can write accounts too.
            self.writer().write(move |connection| reserve(connection, &charges, now)).await?
        })
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        let spendings = spendings.to_vec();
        Box::pin(self.writer().write(move |connection| finish(connection, &spendings)))
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        let key = key.clone();
        Box::pin(self.readers().read(move |connection| read(connection, &key)))
    }

    fn identity(&self) -> usize {
        self.address()
    }
}

type Reservations = Result<Vec<Reserved>, BudgetError>;

fn reserve(connection: &Connection, charges: &[Charge], now: SystemTime) -> Work<Reservations, BudgetError> {
    let before: Vec<_> =
        charges.iter().map(|charge| read(connection, charge.key())).collect::<Result<_, _>>()?;
    let after = before.iter().zip(charges).map(|(before, charge)| Account::reserve(*before, charge, now));
    match after.collect::<Result<Vec<_>, _>>() {
        Ok(after) => {
            for (account, charge) in after.iter().zip(charges) {
                write(connection, charge.key(), *account)?;
            }
            Ok(Ok(after.iter().zip(charges).map(|(account, charge)| account.reserved(charge)).collect()))
        }
        Err(refused) => {
            for (before, charge) in before.into_iter().zip(charges) {
                if let Some(account) = before.and_then(|before| before.begun_again(charge.key(), now)) {
                    write(connection, charge.key(), account)?;
                }
            }
            Ok(Err(refused))
        }
    }
}

fn finish(connection: &Connection, spendings: &[Spending]) -> Work<(), BudgetError> {
    for spending in spendings {
        let key = &spending.reserved.key;
        if let Some(mut account) = read(connection, key)? {
            account.finish(spending);
            write(connection, key, account)?;
        }
    }
    Ok(())
}

/// The window of a key in nanoseconds: -1 for none.
fn window(key: &BudgetKey) -> i64 {
    key.window().map_or(-1, |window| i64::try_from(window.as_nanos()).unwrap_or(i64::MAX))
}

fn read(connection: &Connection, key: &BudgetKey) -> Work<Option<Account>, BudgetError> {
    let select = "
        SELECT began, tokens, money, calls, time FROM accounts
        WHERE budget = ?1 AND scope = ?2 AND id = ?3 AND window = ?4
    ";
    let values = params![key.budget(), key.scope().to_string(), key.id(), window(key)];
    let account = connection.prepare_cached(select)?.query_row(values, |row| {
        // Amounts above the half of what 64 bits hold are negative in the file.
        let amount = |column| row.get(column).map(i64::cast_unsigned);
        let mut spent = Amounts::default();
        (spent.tokens, spent.money, spent.calls, spent.time) =
            (amount(1)?, amount(2)?, amount(3)?, amount(4)?);
        Ok(Account::new(amount(0)?, spent))
    });
    Ok(account.optional()?)
}

fn write(connection: &Connection, key: &BudgetKey, account: Account) -> Work<(), BudgetError> {
    let Account { began, spent, .. } = account;
    let replace = "
        INSERT OR REPLACE INTO accounts (budget, scope, id, window, began, tokens, money, calls, time)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ";
    connection.prepare_cached(replace)?.execute(params![
        key.budget(),
        key.scope().to_string(),
        key.id(),
        window(key),
        began.cast_signed(),
        spent.tokens.cast_signed(),
        spent.money.cast_signed(),
        spent.calls.cast_signed(),
        spent.time.cast_signed(),
    ])?;
    Ok(())
}
