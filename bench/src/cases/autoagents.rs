//! autoagents 0.4: a hand-written `ToolRuntime`, called as its executor calls it: text parsed to a value,
//! the value decoded, the result written as text. (Its own private executor also parses the text a second
//! time, for its events; that is left out.)

use autoagents::core::tool::{ToolCallError, ToolRuntime, ToolT};
use autoagents::prelude::{ToolInput, tool};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Case, TEXT, add_one, calls};

#[derive(Serialize, Deserialize, ToolInput, Debug)]
struct AddOneArgs {
    #[input(description = "The number")]
    x: i64,
}

#[tool(name = "add_one", description = "Adds one.", input = AddOneArgs)]
struct AddOne {}

#[async_trait::async_trait]
impl ToolRuntime for AddOne {
    async fn execute(&self, args: Value) -> Result<Value, ToolCallError> {
        let args: AddOneArgs = serde_json::from_value(args)?;
        Ok(add_one(args.x).await.into())
    }
}

async fn call(tools: &[Box<dyn ToolT>], text: &str) -> Result<String, ToolCallError> {
    let args = serde_json::from_str(text)?;
    let tool = tools.iter().find(|tool| tool.name() == "add_one").expect("the tool is there");
    Ok(tool.execute(args).await?.to_string())
}

fn tools() -> Vec<Box<dyn ToolT>> {
    vec![Box::new(AddOne {})]
}

pub(crate) fn cases() -> Vec<Case> {
    vec![calls!("autoagents", "autoagents 0.4, ToolT::execute", tools(), |it| {
        call(&it, std::hint::black_box(TEXT))
    })]
}
