use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolResult};

struct Ledger;

struct Book;

impl Tool for Book {
    const NAME: &'static str = "book";
    type State = Ledger;

    fn definition(&self) -> &ToolDefinition {
        todo!()
    }

    async fn run(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult {
        Ok("booked".into())
    }
}

fn main() {}
