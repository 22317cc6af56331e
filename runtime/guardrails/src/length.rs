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
    match input.texts().map(|text| text.chars().count()).sum::<usize>() {
        found if found > chars => {
            let error =
                InputCheckError::new(format!("the input has {found} characters, and {chars} are allowed"));
            Err(error.with_trigger(CheckTrigger::ValidationFailed))
        }
        _ => Ok(()),
    }
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
    match answer.chars().count() {
        found if found > chars => {
            let error =
                OutputCheckError::new(format!("the answer has {found} characters, and {chars} are allowed"));
            Err(error.with_trigger(CheckTrigger::ValidationFailed))
        }
        _ => Ok(()),
    }
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
    let found: usize = texts_of_args(args).iter().map(|text| text.chars().count()).sum();
    if found > chars {
        let words = format!("the arguments have {found} characters, and {chars} are allowed");
        return Err(ToolError::denied(words).into());
    }
    Ok(())
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
    let found = length_of_result(&result);
    if found > chars {
        let words = format!("the result has {found} characters, and {chars} are allowed");
        return Err(match result {
            Err(Exit::Tool(mut error)) => {
                *error.output_mut() = ToolOutput::text(words);
                error.into()
            }
            _ => ToolError::denied(words).into(),
        });
    }
    result
}
