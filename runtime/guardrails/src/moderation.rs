//! A guardrail that asks another judge.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::texts::{texts_of_args, texts_of_result};
use onionskin_core::Args;
use onionskin_core::RunContext;
use onionskin_core::ToolContext;
use onionskin_core::guardrails::{InputGuardrail, OutputGuardrail};
use onionskin_core::made::AtRunTime;
use onionskin_core::run_hooks::BoxError;
use onionskin_core::run_hooks::{InputCheckError, OutputCheckError, RunAnswer, RunHook, RunInput};
use onionskin_core::{ToolError, ToolResult};

type Judge = dyn Fn(String) -> BoxFuture<'static, Result<Option<String>, BoxError>> + Send + Sync;

/// Asks a function about each text: a moderation service, another model, a list of words. It refuses texts for which the function gives
/// a reason, and also if the function fails.
///
/// As a run hook, it judges the input before the model gets it, and the answer. As a guardrail of a tool, it judges the arguments, or the result.
///
/// ```
/// use onionskin::guardrails::Moderation;
/// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let polite = Moderation::new(|text: String| async move {
///     Ok::<_, std::io::Error>(text.contains("blast").then(|| "rude".to_owned()))
/// });
/// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning.")]);
/// let clerk = Clerk::builder().model(model).run_hook(polite).build().await.unwrap();
/// assert!(matches!(clerk.run("blast it").await, Err(RunError::InputCheck { .. })));
/// assert_eq!(clerk.run("Hello.").await.unwrap().text, "Good morning.");
/// # });
/// ```
#[derive(Clone)]
pub struct Moderation {
    judge: Arc<Judge>,
}

impl Moderation {
    /// Asks this function. It returns the reason if a text is not allowed, which the program and the model see.
    pub fn new<F, Fut, E>(judge: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<String>, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self {
            judge: Arc::new(move |text| {
                let judged = judge(text);
                Box::pin(async move { judged.await.map_err(Into::into) })
            }),
        }
    }

    async fn check(&self, texts: Vec<String>) -> ToolResult<()> {
        match (self.judge)(texts.join("\n")).await {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Err(ToolError::denied(reason).into()),
            Err(error) => Err(ToolError::denied(format!("moderation failed: {error}")).into()),
        }
    }
}

impl fmt::Debug for Moderation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moderation").finish_non_exhaustive()
    }
}

#[diagnostic::do_not_recommend]
impl RunHook for Moderation {
    type Made = AtRunTime;

    async fn before_run(&self, _: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        match (self.judge)(input.texts().collect::<Vec<_>>().join("\n")).await? {
            Some(reason) => Err(InputCheckError::new(reason).into()),
            None => Ok(()),
        }
    }

    async fn after_run(&self, _: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        match (self.judge)(answer.text().to_owned()).await? {
            Some(reason) => Err(OutputCheckError::new(reason).into()),
            None => Ok(()),
        }
    }
}

#[diagnostic::do_not_recommend]
impl InputGuardrail for Moderation {
    type Made = AtRunTime;

    async fn check(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        self.check(texts_of_args(args)).await
    }
}

#[diagnostic::do_not_recommend]
impl OutputGuardrail for Moderation {
    type Made = AtRunTime;

    async fn check(&self, _: &ToolContext, _: &Args, result: ToolResult) -> ToolResult {
        let texts = texts_of_result(&result);
        if !texts.is_empty() {
            self.check(texts).await?;
        }
        result
    }
}
