//! The shop's orders, in `SQLite`.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use onionskin::{ToolError, ToolResult, toolbox};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Serialize;

use super::agents::Customer;

/// An order of a customer.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Order {
    number: u32,
    article: String,
    cents: u32,
    /// `on its way`, `delivered` or `refunded`.
    status: String,
    /// The parcel's number at the carrier.
    parcel: String,
}

/// The orders of all customers.
pub(crate) struct Orders(Mutex<Connection>);

impl Orders {
    /// Opens the database, and fills a new one.
    pub(crate) fn open(file: Option<&Path>) -> rusqlite::Result<Self> {
        let database = match file {
            Some(file) => Connection::open(file)?,
            None => Connection::open_in_memory()?,
        };
        database.execute_batch(
            "create table if not exists orders
                 (number integer primary key, email text, article text, cents integer, status text, parcel text);
             insert or ignore into orders values
                 (7, 'ada@example.org', 'lamp', 3900, 'delivered', 'P-70'),
                 (8, 'ada@example.org', 'shoes', 8950, 'on its way', 'P-81'),
                 (9, 'bob@example.org', 'table', 21000, 'delivered', 'P-90');",
        )?;
        Ok(Self(Mutex::new(database)))
    }

    fn database(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pays an order of the customer back, once.
    pub(crate) fn pay_back(&self, email: &str, number: u32) -> ToolResult<u32> {
        let database = self.database();
        let found = database.query_row(
            "select number, article, cents, status, parcel from orders where email = ? and number = ?",
            params![email, number],
            read,
        );
        let Some(order) = found.optional()? else {
            return Err(ToolError::new(format!("the customer has no order {number}")).into());
        };
        if order.status == "refunded" {
            return Err(ToolError::new(format!("order {number} was paid back before")).into());
        }
        database.execute("update orders set status = 'refunded' where number = ?", [number])?;
        Ok(order.cents)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Order> {
    let (number, article, cents, status, parcel) = row.try_into()?;
    Ok(Order { number, article, cents, status, parcel })
}

#[toolbox(instructions = "Look an order up before you speak about it. Amounts are in cents.")]
impl Orders {
    /// The orders of the customer.
    #[tool(state = Customer, effect = pure)]
    fn list_orders(&self, #[bind(email)] email: String) -> ToolResult<Vec<Order>> {
        let database = self.database();
        let mut query = database.prepare(
            "select number, article, cents, status, parcel from orders where email = ? order by number",
        )?;
        let orders = query.query_map([email], read)?.collect::<Result<_, _>>()?;
        Ok(orders)
    }
}
