//! One tool in every form that a tool can leave the program in.
//!
//! ```text
//! cargo run -p onionskin-examples --bin export_everywhere [-- --tools]
//! ```
//!
//! Each form is printed with its size; where a provider has a strict dialect, what strict changes is printed as a
//! difference of lines. With `--tools` only MCP's form is printed, as a list.

use onionskin::export::{self, ExportError, ExportOptions};
use onionskin::{Tool, ToolDefinition, tool};
use serde_json::Value;

/// How the records are ordered.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    Newest,
    Best,
}

/// A record that was found.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Record {
    id: u64,
    title: String,
}

/// Searches the library for records.
///
/// The best ones come first unless another order is asked for.
#[tool(annotations(read_only))]
fn search(
    /// What to look for.
    #[arg(example = "tides")]
    query: String,
    /// How many records to give.
    #[arg(default = 10, range(1..=50))]
    limit: u32,
    /// Only records from this year on.
    since: Option<i32>,
    #[arg(default = Order::Best)] order: Order,
) -> Vec<Record> {
    let _ = (query, limit, since, order);
    Vec::new()
}

type Export = fn(&ToolDefinition, &ExportOptions) -> Result<Value, ExportError>;

const FORMS: [(&str, Export); 7] = [
    ("OpenAI, chat completions", export::openai_chat),
    ("OpenAI, responses", export::openai_responses),
    ("Anthropic", export::anthropic),
    ("Gemini, its subset of OpenAPI", export::gemini),
    ("Gemini, any JSON Schema", export::gemini_json_schema),
    ("plain JSON Schema", export::to_jsonschema),
    ("MCP", export::mcp),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tool = search::default();
    let definition = tool.definition();
    if std::env::args().nth(1).as_deref() == Some("--tools") {
        return Ok(onionskin_examples::print_tools(std::slice::from_ref(definition))?);
    }
    let (as_it_is, strict) = (ExportOptions::new(), ExportOptions::new().strict());

    let mut sizes = Vec::new();
    for (name, export) in FORMS {
        let (plain, strict) = (export(definition, &as_it_is)?, export(definition, &strict)?);
        let lines = serde_json::to_string_pretty(&plain)?;
        let size = (plain.to_string().len(), strict.to_string().len());
        println!("--- {name}: {} bytes ---\n{lines}\n", size.0);
        if plain == strict {
            println!("strict: the same\n");
        } else {
            println!(
                "strict, {} bytes: what changes\n{}\n",
                size.1,
                difference(&lines, &serde_json::to_string_pretty(&strict)?)
            );
        }
        sizes.push((name, size.0, Some(size.1)));
    }
    for (name, text) in [
        ("prompt", export::to_prompt(definition)),
        ("docstring", export::docstring(definition)),
        ("signature", export::signature(definition)),
        ("signature with values", export::signature_with(definition, &export::example_arguments(definition))),
    ] {
        println!("--- {name}: {} bytes ---\n{text}\n", text.len());
        sizes.push((name, text.len(), None));
    }

    println!("{:32}{:>8}{:>8}", "bytes", "as is", "strict");
    for (name, plain, strict) in sizes {
        println!("{name:32}{plain:>8}{:>8}", strict.map_or_else(|| "-".to_owned(), |size| size.to_string()));
    }
    Ok(())
}

/// The lines that one text has and the other has not, as `diff` shows them: by their longest common sequence.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    // The lengths of the common sequences of both remainders.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (at_old, line_old) in old.iter().enumerate().rev() {
        for (at_new, line_new) in new.iter().enumerate().rev() {
            common[at_old][at_new] = if line_old == line_new {
                common[at_old + 1][at_new + 1] + 1
            } else {
                common[at_old + 1][at_new].max(common[at_old][at_new + 1])
            };
        }
    }
    let (mut at_old, mut at_new, mut shown) = (0, 0, Vec::new());
    while at_old < old.len() || at_new < new.len() {
        if at_old < old.len() && at_new < new.len() && old[at_old] == new[at_new] {
            (at_old, at_new) = (at_old + 1, at_new + 1);
        } else if at_new == new.len()
            || (at_old < old.len() && common[at_old + 1][at_new] >= common[at_old][at_new + 1])
        {
            shown.push(format!("- {}", old[at_old]));
            at_old += 1;
        } else {
            shown.push(format!("+ {}", new[at_new]));
            at_new += 1;
        }
    }
    shown.join("\n")
}
