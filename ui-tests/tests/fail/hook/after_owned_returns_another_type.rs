use onionskin::{ToolOutput, tool_hook};

#[tool_hook]
async fn count(output: ToolOutput) -> usize {
    output.to_text().len()
}

fn main() {}
