//! A knowledge base as a toolbox: an agent that looks things up before it answers.
//!
//! ```text
//! cargo run -p onionskin-examples --features knowledge-base --bin toolbox_kb [-- FILE | --tools]
//! ```
//!
//! The handbook is in memory, or in FILE, where it stays; last year's is a second object of the same type, under the
//! prefix `archive`. A script plays the model's part, everything else is real. With `--tools` the agent's tools are
//! printed, as MCP lists them, and the program ends.

use std::error::Error;
use std::sync::Arc;

use onionskin::toolboxes::{KnowledgeBase, KnowledgeError};
use onionskin::{ScriptedModel, ScriptedTurn, agent, call, export};
use onionskin_examples::{print_tools, show};
use serde_json::json;

agent! {
    pub(crate) HarbourMaster {
        name: "harbour-master",
        instruction: "Answer questions about the harbour from its handbook.",
        toolboxes: [KnowledgeBase, archive: KnowledgeBase],
    }
}

const HANDBOOK: [(&str, &str, &[&str]); 4] = [
    ("Berths", "Berths 1 to 12 are for guests. A night costs 2.40 a metre, showers included.", &["prices"]),
    (
        "Tides",
        "High water comes 40 minutes after the moon's passage. The sill dries at low water.",
        &["navigation"],
    ),
    ("Fuel", "Diesel is sold at the east pier from 8 to 18 o'clock. There is no petrol.", &["prices"]),
    ("Lost things", "What is found lies in the harbour office for four weeks.", &[]),
];

const LAST_YEAR: [(&str, &str, &[&str]); 2] = [
    ("Berths", "Berths 1 to 10 are for guests. A night costs 2.10 a metre.", &["prices"]),
    ("Fuel", "Diesel and petrol are sold at the east pier.", &["prices"]),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let argument = std::env::args_os().nth(1);
    let lists_tools = argument.as_deref().is_some_and(|argument| argument == "--tools");
    let handbook = match argument.filter(|_| !lists_tools) {
        Some(file) => KnowledgeBase::open(file)?,
        None => KnowledgeBase::in_memory()?,
    };
    let (handbook, archive) = (Arc::new(handbook), KnowledgeBase::in_memory()?);
    // A file has them since the first run.
    if handbook.search("berths", 1)?.is_empty() {
        fill(&handbook, &HANDBOOK)?;
    }
    fill(&archive, &LAST_YEAR)?;
    let master = HarbourMaster::builder()
        .model(ScriptedModel::turns(conversation()))
        .toolbox(&handbook)
        .toolbox_as("archive", archive)
        .build()
        .await?;
    if lists_tools {
        return Ok(print_tools(&master.tool_definitions()?)?);
    }

    println!("--- the tools, as a prompt shows them ---");
    let tools = handbook.tools();
    for name in KnowledgeBase::tool_names() {
        println!("{}\n", export::to_prompt(tools[name].definition()));
    }

    println!("--- called directly; signs mean nothing ---");
    for query in ["prices", "NEAR(\"moon\" AND (sill*", "submarine"] {
        println!(
            "search {query}\n     = {}",
            call!(tools["search"], query = query).await.map_err(|exit| exit.to_string())?
        );
    }

    println!("\n--- used by an agent ---");
    let mut run = master.stream("What does a night cost, and has it become dearer?");
    let mut view = show::View::default();
    while let Some(event) = run.next().await {
        view.show(&event);
    }
    view.summary(&run.output().await?);

    // The program has the object still.
    println!("the handbook's first hit for `showers`: {}", handbook.search("showers", 1)?[0].title);
    Ok(())
}

/// What a model would do here, turn by turn.
pub(crate) fn conversation() -> [ScriptedTurn; 4] {
    [
        ScriptedTurn::call(
            "search",
            json!({ "query": "What does a night at a guest berth cost?", "limit": 2 }),
        )
        .and_call("archive_search", json!({ "query": "night guest berth price", "limit": 1 })),
        ScriptedTurn::call("get", json!({ "id": 1 })).and_call("archive_get", json!({ "id": 1 })),
        ScriptedTurn::call("get", json!({ "id": 99 })),
        ScriptedTurn::say(
            "2.40 a metre, showers included; last year it was 2.10 (Berths, handbook and archive).",
        ),
    ]
}

fn fill(kb: &KnowledgeBase, documents: &[(&str, &str, &[&str])]) -> Result<(), KnowledgeError> {
    for (title, text, tags) in documents {
        let tags: Vec<_> = tags.iter().map(|&tag| tag.to_owned()).collect();
        kb.add(title, text, &tags)?;
    }
    Ok(())
}
