use onionskin::guardrails::InputGuardrail;
use onionskin::{Args, ToolContext, ToolResult, made, tool};

struct NotIn(&'static str);

impl From<(&'static str,)> for NotIn {
    fn from((city,): (&'static str,)) -> Self {
        Self(city)
    }
}

impl InputGuardrail for NotIn {
    type Made = made::FromValues<(&'static str,)>;

    async fn check(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        if args["city"] == self.0 { Err("not there".into()) } else { Ok(()) }
    }
}

/// Tells the weather.
#[tool(input_guardrails = [NotIn("Ys", "Atlantis")])]
fn weather(city: &str) -> String {
    city.to_owned()
}

fn main() {}
