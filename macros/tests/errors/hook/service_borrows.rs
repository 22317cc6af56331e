use onionskin::{Args, Next, Provided, ToolResult, tool_hook};

struct Reader<'a>(&'a str);

#[tool_hook]
async fn read(reader: Provided<Reader<'_>>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = reader.0;
    next.run(args).await
}

fn main() {}
