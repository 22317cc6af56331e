//! One guardrail checks arguments, and the other checks results.

use onionskin_core::content::ContentBlock;
use onionskin_core::guardrails::{InputGuardrail, OutputGuardrail};
use onionskin_core::{Args, ToolContext, ToolOutput, ToolResult, made};

/// Refuses payments to one receiver, and takes the space off the names of the others.
#[derive(Debug, Clone)]
pub struct NotTo(pub &'static str);

impl From<(&'static str,)> for NotTo {
    fn from((receiver,): (&'static str,)) -> Self {
        Self(receiver)
    }
}

impl InputGuardrail for NotTo {
    type Made = made::FromValues<(&'static str,)>;

    async fn check(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        let to = args["to"].as_str().unwrap_or_default().trim().to_owned();
        if to == self.0 {
            return Err(format!("payments to `{to}` are not allowed").into());
        }
        args["to"] = to.into();
        Ok(())
    }
}

/// Masks the numbers of accounts in results.
#[derive(Debug, Clone, Copy)]
pub struct HideAccounts;

impl OutputGuardrail for HideAccounts {
    type Made = made::AtRunTime;

    async fn check(&self, _: &ToolContext, _: &Args, result: ToolResult) -> ToolResult {
        let output = result?;
        let masked = output.content().iter().map(|block| match block.as_text() {
            Some(text) => ContentBlock::Text(text.split(' ').map(mask).collect::<Vec<_>>().join(" ")),
            None => block.clone(),
        });
        Ok(ToolOutput::blocks(masked))
    }
}

/// A word, or, if it is the number of an account, a mask and what follows the number.
fn mask(word: &str) -> String {
    let number = word.trim_end_matches([',', '.']);
    if number.starts_with("DE") && number.contains('-') {
        word.replace(number, "****")
    } else {
        word.to_owned()
    }
}
