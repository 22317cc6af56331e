//! These guardrails limit lengths.

use onionskin_core::{guardrail, run_hook};

use super::texts::{length_of_result, texts_of_args};
use onionskin_core::Args;
use onionskin_core::ToolContext;
use onionskin_core::ToolOutput;
use onionskin_core::run_hooks::{CheckTrigger, InputCheckError, OutputCheckError, RunInput};
use onionskin_core::{Exit, ToolError, ToolResult};

/// Refuses the input of a run if its text and the texts of its files and links have more than `chars` characters.
///
/// ```
/// use onionskin::{agent, guardrails};
///
/// agent! { Clerk { instruction: "Answer.", run_hooks: [guardrails::max_input(8_000)] } }
/// ```
///
/// # Errors
/// Returns an error if the input is longer.
#[run_hook(pre)]
pub fn max_input(#[config] chars: usize, input: &RunInput) -> Result<(), InputCheckError> {
    let found = input.texts().map(|text| text.chars().count()).sum();
    within("the input has", found, chars)
        .map_err(|words| InputCheckError::new(words).with_trigger(CheckTrigger::ValidationFailed))
}

/// Refuses the answer of a run if it has more than `chars` characters. A streamed run shows the text before.
///
/// ```
/// use onionskin::{agent, guardrails};
///
/// agent! { Clerk { instruction: "Answer.", run_hooks: [guardrails::max_answer(2_000)] } }
/// ```
///
/// # Errors
/// Returns an error if the answer is longer.
#[run_hook(post)]
pub fn max_answer(#[config] chars: usize, answer: &str) -> Result<(), OutputCheckError> {
    within("the answer has", answer.chars().count(), chars)
        .map_err(|words| OutputCheckError::new(words).with_trigger(CheckTrigger::ValidationFailed))
}

/// Refuses a call if the texts of its arguments have more than `chars` characters together.
///
/// ```
/// use onionskin::guardrails::max_args;
/// use onionskin::tool;
///
/// /// Notes a text.
/// #[tool(input_guardrails = [max_args(500)])]
/// fn note(text: &str) {}
/// ```
///
/// # Errors
/// Returns an error if they are longer.
#[guardrail(input)]
pub fn max_args(#[config] chars: usize, args: &Args) -> ToolResult<()> {
    let found = texts_of_args(args).iter().map(|text| text.chars().count()).sum();
    within("the arguments have", found, chars).map_err(|words| ToolError::denied(words).into())
}

/// Withholds a result if its text has more than `chars` characters. An error stays one of its kind, without its text.
///
/// ```
/// use onionskin::guardrails::max_output;
/// use onionskin::tool;
///
/// /// Reads a page.
/// #[tool(output_guardrails = [max_output(20_000)])]
/// fn page(number: u32) -> String {
///     format!("page {number}")
/// }
/// ```
///
/// # Errors
/// Returns an error if the text is longer.
#[guardrail(output)]
pub fn max_output(#[config] chars: usize, _ctx: &ToolContext, result: ToolResult) -> ToolResult {
    let Err(words) = within("the result has", length_of_result(&result), chars) else { return result };
    Err(match result {
        Err(Exit::Tool(mut error)) => {
            *error.output_mut() = ToolOutput::text(words);
            error.into()
        }
        _ => ToolError::denied(words).into(),
    })
}

fn within(subject: &str, found: usize, chars: usize) -> Result<(), String> {
    if found > chars {
        return Err(format!("{subject} {found} characters, and {chars} are allowed"));
    }
    Ok(())
}
