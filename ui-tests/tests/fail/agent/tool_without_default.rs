use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolResult, agent};

struct Notes(u32);

impl Tool for Notes {
    const NAME: &'static str = "notes";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        unimplemented!()
    }

    async fn run(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult {
        Err(self.0.to_string().into())
    }
}

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [Notes],
    }
}

fn main() {}
