//! What cannot be the result of a tool.
use std::error::Error;

use onionskin::tool;

struct Report;

//~ an error that is not `Send`
/// Looks it up.
#[tool]
async fn look_up(name: String) -> Result<String, Box<dyn Error>> { Ok(name) }

//~ a type that does not serialise, behind an alias
type Reports = Result<Report, String>;

/// Reports.
#[tool(blocking)]
fn report(lines: &str) -> Reports { Err(lines.to_owned()) }

//~ a list of it
/// Reports.
#[tool]
fn result_in_a_list(lines: &str) -> Result<Vec<Report>, String> { Err(lines.to_owned()) }

onionskin::agent! { Helper { instruction: "Help.", function_tools: [result_in_a_list] } }

//~ a struct with fields
struct Lines {
    lines: u32,
}

/// Reports.
#[tool]
fn count_lines(lines: u32) -> Lines { Lines { lines } }

fn result_not_serialisable() { println!("{}", count_lines(1).lines); }

//~ of an async tool
/// Reports.
#[tool]
async fn result_not_serialisable_async() -> Report { Report }

//~ in a `Result`
/// Reports.
#[tool]
async fn result_not_serialisable_in_result() -> Result<Report, String> { Ok(Report) }

fn main() {}
