//! Guardrails on personal data, around runs and around calls of tools.

use super::super::pace::Pace;
use super::{Pii, kinds_in};
use crate::texts::{change_args, change_divided, change_result, texts_of, texts_of_args, texts_of_result};
use onionskin_core::Args;
use onionskin_core::RunContext;
use onionskin_core::ToolContext;
use onionskin_core::guardrails::{InputGuardrail, OutputGuardrail};
use onionskin_core::made::ByDefault;
use onionskin_core::run_hooks::BoxError;
use onionskin_core::run_hooks::{
    CheckTrigger, DeltaFilter, InputCheckError, OutputCheckError, RunAnswer, RunHook, RunInput,
};
use onionskin_core::{ToolError, ToolResult};

/// Masks personal data. As a run hook, it masks the input before the model gets it, and the answer, also in the pieces of a streamed run.
/// As a guardrail of a tool, it masks the arguments that the tool gets, or the result that the model gets.
///
/// ```
/// use onionskin::guardrails::MaskPii;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
///
/// /// Reads a letter.
/// #[tool(output_guardrails = [MaskPii])]
/// fn read(number: u32) -> String {
///     format!("Letter {number}: write to ada@example.org")
/// }
///
/// agent! { Clerk { instruction: "Answer letters.", function_tools: [read], run_hooks: [MaskPii] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("I got: {input}")]);
/// let output = Clerk::builder().model(model).run("My card is 4111 1111 1111 1111.").await.unwrap();
/// assert_eq!(output.text, "I got: My card is [card].");
/// # });
/// ```
///
/// The session's history holds the answer as the model wrote it. An answer of a type is masked in its strings, by value; its numbers stay, because
/// what replaces them is not a number: [`RejectPii`] refuses those too.
#[derive(Debug, Clone, Default)]
pub struct MaskPii {
    pii: Pii,
}

/// Refuses personal data. As a run hook, it ends a run whose input has some before the model gets it, and a run whose answer has some;
/// a streamed run shows the data masked until it ends, with a string in place of a number in JSON. As a guardrail of a tool, it refuses the call, or withholds its result.
///
/// ```
/// use onionskin::guardrails::{Pii, PiiKind, RejectPii};
/// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning.")]);
/// let clerk = Clerk::builder().model(model).run_hook(RejectPii::new(Pii::only([PiiKind::Card]))).build().await.unwrap();
/// let error = clerk.run("My card is 4111 1111 1111 1111.").await.unwrap_err();
/// assert!(matches!(&error, RunError::InputCheck { .. }));
/// assert!(error.to_string().contains("card") && !error.to_string().contains("4111"));
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct RejectPii {
    pii: Pii,
}

impl MaskPii {
    /// Masks what this finds.
    pub fn new(pii: Pii) -> Self {
        Self { pii }
    }
}

#[diagnostic::do_not_recommend]
impl RunHook for MaskPii {
    type Made = ByDefault;

    async fn before_run(&self, _: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        self.pii.change_each(input, |input, change| input.change_texts(change)).await;
        Ok(())
    }

    async fn after_run(&self, _: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        let masked = if answer.is_json() {
            self.pii.change_json(answer.text()).await
        } else {
            self.pii.change(answer.text(), &mut Pace::default()).await
        };
        if let Some(masked) = masked {
            answer.set_text(masked);
        }
        Ok(())
    }

    fn delta_filter(&self, _: &RunContext) -> Option<Box<dyn DeltaFilter>> {
        Some(Box::new(self.pii.deltas()))
    }
}

#[diagnostic::do_not_recommend]
impl InputGuardrail for MaskPii {
    type Made = ByDefault;

    async fn check(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        self.pii.change_each(args, |args, change| change_args(args, change)).await;
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl OutputGuardrail for MaskPii {
    type Made = ByDefault;

    async fn check(&self, _: &ToolContext, _: &Args, mut result: ToolResult) -> ToolResult {
        self.pii.change_each(&mut result, |result, change| change_result(result, change)).await;
        self.pii.change_each(&mut result, |result, change| change_divided(result, change)).await;
        result
    }
}

impl RejectPii {
    /// Refuses what this finds.
    pub fn new(pii: Pii) -> Self {
        Self { pii }
    }

    async fn kinds_in(&self, texts: &[String]) -> Option<String> {
        kinds_in(&self.pii, texts.iter().map(String::as_str)).await
    }
}

#[diagnostic::do_not_recommend]
impl RunHook for RejectPii {
    type Made = ByDefault;

    async fn before_run(&self, _: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        match kinds_in(&self.pii, input.texts()).await {
            Some(kinds) => {
                let error = InputCheckError::new(format!("the input contains personal data: {kinds}"));
                Err(error.with_trigger(CheckTrigger::PiiDetected).into())
            }
            None => Ok(()),
        }
    }

    async fn after_run(&self, _: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        let mut texts = vec![answer.text().to_owned()];
        if answer.is_json()
            && let Ok(value) = answer.read()
        {
            texts_of(&value, &mut texts);
        }
        match self.kinds_in(&texts).await {
            Some(kinds) => {
                let error = OutputCheckError::new(format!("the answer contains personal data: {kinds}"));
                Err(error.with_trigger(CheckTrigger::PiiDetected).into())
            }
            None => Ok(()),
        }
    }

    fn delta_filter(&self, _: &RunContext) -> Option<Box<dyn DeltaFilter>> {
        Some(Box::new(self.pii.deltas_of_numbers_too()))
    }
}

#[diagnostic::do_not_recommend]
impl InputGuardrail for RejectPii {
    type Made = ByDefault;

    async fn check(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        match self.kinds_in(&texts_of_args(args)).await {
            Some(kinds) => {
                Err(ToolError::denied(format!("the arguments contain personal data: {kinds}")).into())
            }
            None => Ok(()),
        }
    }
}

#[diagnostic::do_not_recommend]
impl OutputGuardrail for RejectPii {
    type Made = ByDefault;

    async fn check(&self, _: &ToolContext, _: &Args, result: ToolResult) -> ToolResult {
        match self.kinds_in(&texts_of_result(&result)).await {
            Some(kinds) => {
                Err(ToolError::denied(format!("the result contains personal data: {kinds}")).into())
            }
            None => result,
        }
    }
}
