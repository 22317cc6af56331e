//! Types that a parameter cannot have.
use std::rc::Rc;

use onionskin::{Secret, tool};

//~ an alias of `&str`
type Text<'a> = &'a str;

/// Greets.
#[tool]
fn greet(name: Text<'_>) -> String { name.to_owned() }

//~ a type that cannot be injected
struct Database;

/// Lists issues.
#[tool]
fn issues(#[inject] database: &Database) -> usize { std::mem::size_of_val(database) }

//~ a type without derives
struct City {
    name: String,
}

/// Tells the weather.
#[tool]
async fn weather(city: City) -> String { city.name }

//~ a list of a type that is not read
#[derive(schemars::JsonSchema)]
struct NotRead {
    name: String,
}

/// Tells the weather.
#[tool]
fn missing_derives_in_list(cities: &[NotRead]) -> String { cities[0].name.clone() }

//~ an optional type without a schema
#[derive(serde::Deserialize)]
struct WithoutSchema {
    name: String,
}

/// Tells the weather.
#[tool]
fn missing_json_schema(day: u8, city: Option<WithoutSchema>) -> String {
    format!("{day} {:?}", city.map(|city| city.name))
}

//~ an own type with the name of an injected one
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Progress {
    percent: u8,
}

/// Reports.
#[tool]
async fn report(progress: Progress) -> bool { progress.percent > 50 }

//~ a type that cannot be sent
/// Reports.
#[tool]
fn report_lines(lines: Rc<str>) -> String { lines.to_string() }

onionskin::agent! { NotSend { instruction: "Help.", function_tools: [report_lines] } }

//~ a list of a type that cannot be sent, of an async tool
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Line {
    words: Rc<str>,
}

/// Reports.
#[tool]
async fn report_later(first: &str, lines: &[Line]) -> String {
    lines.iter().map(|line| &*line.words).fold(first.to_owned(), |all, line| all + line)
}

onionskin::agent! { NotSendLater { instruction: "Help.", function_tools: [report_later] } }

//~ a reference to the state
struct Ledger {
    lines: u32,
}

/// Counts.
#[tool]
fn count(ledger: &Ledger) -> u32 { ledger.lines }

//~ a secret behind an alias
type Key = Secret<String>;

/// Asks.
#[tool]
async fn ask(question: &str, key: &Key) -> String { format!("{question} {}", key.expose().len()) }

fn main() {}
