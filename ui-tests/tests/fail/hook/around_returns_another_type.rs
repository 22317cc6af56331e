use onionskin::{Args, Next, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> String {
    match next.run(args).await {
        Ok(output) => output.to_text().into_owned(),
        Err(_) => String::new(),
    }
}

fn main() {}
