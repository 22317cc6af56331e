//! A source of tools, as MCP is one: a table of exchange rates, each of which is a tool.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onionskin_core::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin_core::{Args, BoxFuture, DynTool, ToolContext, ToolDefinition, ToolOutput, ToolResult};
use serde_json::json;

/// Exchange rates, one on each line: a currency and how many of its cents a hundred euro cents are. It is a server of tools.
#[derive(Debug, Clone)]
pub struct RateTable {
    text: String,
    rates: Rates,
}

/// The rates of a server, which a program can change while the server runs. Clones are the same rates.
#[derive(Clone, Default)]
pub struct Rates(Arc<Inner>);

#[derive(Default)]
struct Inner {
    table: Mutex<BTreeMap<String, u64>>,
    /// How often the table was changed.
    changes: AtomicU64,
    closed: AtomicBool,
}

impl RateTable {
    /// A table in this text. It is read when the server starts.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), rates: Rates::default() }
    }

    /// The rates of the server, empty until it starts.
    pub fn rates(&self) -> Rates {
        self.rates.clone()
    }
}

impl Rates {
    /// Adds or changes a rate. The next turn of a run sees it.
    pub fn set(&self, currency: &str, cents: u64) {
        self.table().insert(currency.to_ascii_lowercase(), cents);
        self.0.changes.fetch_add(1, Ordering::Release);
    }

    fn get(&self, currency: &str) -> Option<u64> {
        self.table().get(currency).copied()
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rates").field(&*self.table()).finish()
    }
}

impl ToolServer for RateTable {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async move {
            for (index, line) in self.text.lines().enumerate() {
                let rate =
                    line.split_once(' ').and_then(|(name, cents)| Some((name, cents.trim().parse().ok()?)));
                let (currency, cents) = rate.ok_or_else(|| {
                    format!("line {} of the rates is `{line}`: write a currency and a number", index + 1)
                })?;
                self.rates.set(currency, cents);
            }
            Ok(())
        })
    }

    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(Provider { server: request.server().to_owned(), rates: self.rates.clone() }))
    }

    fn kill(&self) {
        self.rates.0.closed.store(true, Ordering::Release);
    }
}

/// The tools of the rates, under the name that an agent has for the server.
struct Provider {
    server: String,
    rates: Rates,
}

impl ToolProvider for Provider {
    fn generation(&self) -> u64 {
        self.rates.0.changes.load(Ordering::Acquire)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let table = self.rates.table();
        let tools = table.keys().map(|currency| {
            let schema = json!({
                "type": "object",
                "properties": { "cents": { "type": "integer", "minimum": 0, "description": "Euro cents." } },
                "required": ["cents"],
                "additionalProperties": false,
            });
            let name = format!("{}__{currency}", self.server);
            let definition = ToolDefinition::new(name, format!("Converts euro cents to {currency}."));
            let definition = definition.with_input_schema(schema);
            Arc::new(Convert { definition, currency: currency.clone(), rates: self.rates.clone() })
                as Arc<dyn DynTool>
        });
        tools.collect()
    }
}

/// Converts an amount at the rate of the moment.
struct Convert {
    definition: ToolDefinition,
    currency: String,
    rates: Rates,
}

impl DynTool for Convert {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let cents = args["cents"].as_u64().unwrap_or_default();
            let rate = if self.rates.0.closed.load(Ordering::Acquire) {
                None
            } else {
                self.rates.get(&self.currency)
            };
            let rate = rate.ok_or_else(|| format!("there is no rate for {} any more", self.currency))?;
            let converted = cents.checked_mul(rate).ok_or("so much money does not exist")? / 100;
            Ok(ToolOutput::text(format!("{cents} euro cents are {converted} {} cents", self.currency)))
        })
    }
}
