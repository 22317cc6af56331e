use onionskin::loader::Registry;
use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult};

struct Add(ToolDefinition);

impl Tool for Add {
    const NAME: &'static str = "add";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn run(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args.text().to_string()))
    }
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool::<Add>());
}
