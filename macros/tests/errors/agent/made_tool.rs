// Two mistakes, one error each.
use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolResult, agent};

#[derive(Default)]
struct QuoteTool;

impl Tool for QuoteTool {
    const NAME: &'static str = "quote";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        unimplemented!()
    }

    async fn run(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult {
        unimplemented!()
    }
}

agent! { Helper { instruction: "Help.", function_tools: [QuoteTool::default()] } }
agent! { Clerk { instruction: "Help.", function_tools: [QuoteTool::with_limit(3)] } }

fn main() {}
