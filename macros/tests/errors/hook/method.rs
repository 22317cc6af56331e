use onionskin::{Args, Next, ToolResult, tool_hook};

struct Audit {
    text: String,
}

impl Audit {
    #[tool_hook]
    async fn audit(&self, args: &mut Args, next: impl Next) -> ToolResult {
        let mut output = next.run(args).await?;
        output.push_text(self.text.as_str());
        Ok(output)
    }
}

fn main() {
    let _ = Audit { text: "audit".to_owned() };
}
