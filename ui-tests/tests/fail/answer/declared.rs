//! Types that cannot be an input or an output.
use std::rc::Rc;

use onionskin::agent;

//~ an input without a schema
#[derive(serde::Deserialize)]
struct Question {
    topic: String,
}

agent! { Researcher { instruction: "Search.", input: Question } }

//~ a function as the output
agent! { Desk { instruction: "Report.", output: fn() -> u32 } }

//~ a list of an output that is not read
#[derive(schemars::JsonSchema)]
struct NotRead {
    title: String,
}

agent! { OutputThatIsNotRead { instruction: "Report.", output: Vec<NotRead> } }

async fn report() -> usize {
    OutputThatIsNotRead::builder().run_typed("Report.").await.unwrap().answer.len()
}

//~ an output that cannot be sent
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NotSent {
    #[serde(skip)]
    cache: Rc<u32>,
    title: String,
}

agent! { OutputThatIsNotSent { instruction: "Report.", output: NotSent } }

//~ an output without a schema
#[derive(serde::Deserialize)]
struct WithoutSchema {
    title: String,
}

agent! { OutputWithoutASchema { instruction: "Report.", output: WithoutSchema } }

async fn output_without_a_schema() -> String {
    OutputWithoutASchema::run("Report.").await.unwrap().answer.title
}

//~ a typed run of an agent that answers with text
agent! { TypedRunOfAnAgentWithText { instruction: "Report." } }

async fn typed_run_of_an_agent_with_text() -> String {
    let desk = TypedRunOfAnAgentWithText::builder().build_typed().await.unwrap();
    String::new()
}

fn main() {}
