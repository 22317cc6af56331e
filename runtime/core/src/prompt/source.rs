//! Sources of prompt parts, which a program computes for each turn.

use std::borrow::Cow;
use std::future::{Future, ready};

use futures_util::future::BoxFuture;

use super::change::PromptChange;
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;
use onionskin_tools::onion::HookTools;

/// A source of a prompt part, called in each turn: memories of the user, a summary of the session, passages
/// from a knowledge base. A function of the run is a source too: `|run: &RunContext| format!("..")`.
///
/// With a journal the prompt is recorded, so a replay does not call the source again.
///
/// ```
/// use std::collections::HashMap;
///
/// use onionskin::prompt::{Prompt, PromptPart, PromptSource};
/// use onionskin::{RunContext, ScriptedModel, ScriptedTurn, agent};
/// use onionskin::servers::BoxError;
///
/// /// The facts that are known of each user.
/// struct Memories(HashMap<String, String>);
///
/// impl PromptSource for Memories {
///     async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
///         Ok(run.user().and_then(|user| self.0.get(user)).cloned())
///     }
/// }
///
/// agent! {
///     Host { instruction: "Greet the guest." }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let memories = Memories(HashMap::from([("ada".to_owned(), "She likes tea.".to_owned())]));
/// let prompt = Prompt::new().source(PromptPart::Memories, memories);
/// let model = ScriptedModel::turns([ScriptedTurn::say("Hello!")]);
/// let host = Host::builder().model(model).prompt(prompt).build().await.unwrap();
/// let of_ada = host.request("").user("ada").system_prompt().await.unwrap().unwrap();
/// assert_eq!(of_ada, "Greet the guest.\n\n<memories>\nShe likes tea.\n</memories>");
/// assert_eq!(host.system_prompt().await.unwrap().unwrap(), "Greet the guest.");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of a prompt's part",
    label = "not a source",
    note = "implement `PromptSource` for the type, or write a function: `|run: &RunContext| format!(\"..\")`",
    note = "a text without a function goes into `Prompt::text`"
)]
pub trait PromptSource: Send + Sync + 'static {
    /// Returns the text of the part in this turn; `None` leaves the part out. Placeholders such as `{key}`
    /// are not filled.
    ///
    /// Cancel safety: the run drops the future when it ends. A panic is an error.
    ///
    /// # Errors
    /// An error ends the run with [`RunError::Prompt`](crate::RunError::Prompt).
    fn text(&self, run: &RunContext) -> impl Future<Output = Result<Option<String>, BoxError>> + Send;

    /// Adds the tools that the source brings to the agent whose declaration or builder sets it, such as a search in what
    /// the source shows. All hooks and guardrails of the agent are around them. A source that a request sets brings
    /// none. It is called once, when the agent is built. Default: none.
    fn tools(&self, tools: &mut HookTools) {
        let _ = tools;
    }

    /// How often the text changes, for [`PromptOrder::ByChange`](super::PromptOrder::ByChange). The source is called in
    /// each turn in any case. Default: [`PromptChange::EachTurn`].
    fn changes(&self) -> PromptChange {
        PromptChange::EachTurn
    }
}

#[diagnostic::do_not_recommend]
impl<F, A> PromptSource for F
where
    F: Fn(&RunContext) -> A + Send + Sync + 'static,
    A: PromptAnswer + 'static,
{
    fn text(&self, run: &RunContext) -> impl Future<Output = Result<Option<String>, BoxError>> + Send {
        self(run).boxed()
    }
}

/// The future of a computed text.
#[doc(hidden)]
pub type ComputedText<'run> = BoxFuture<'run, Result<Option<String>, BoxError>>;

/// The return type of a function that computes a part: a text, an `Option` of one, or a `Result` of either.
///
/// Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "a function that returns `{Self}` does not compute a text",
    label = "return a `String`, an `Option<String>`, or a `Result` of either"
)]
pub trait PromptAnswer: Send + Sized {
    #[doc(hidden)]
    fn boxed<'r>(self) -> ComputedText<'r>
    where
        Self: 'r;
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl PromptAnswer for $text {
            fn boxed<'r>(self) -> ComputedText<'r> {
                Box::pin(ready(Ok(Some(self.into()))))
            }
        }
    )*};
}

texts!(String, &'static str, Cow<'static, str>);

impl<A: PromptAnswer> PromptAnswer for Option<A> {
    fn boxed<'r>(self) -> ComputedText<'r>
    where
        Self: 'r,
    {
        self.map_or_else(|| Box::pin(ready(Ok(None))) as ComputedText<'r>, PromptAnswer::boxed)
    }
}

impl<A: PromptAnswer, E: Into<BoxError> + Send> PromptAnswer for Result<A, E> {
    fn boxed<'r>(self) -> ComputedText<'r>
    where
        Self: 'r,
    {
        self.map_or_else(|error| Box::pin(ready(Err(error.into()))) as ComputedText<'r>, PromptAnswer::boxed)
    }
}

/// A source as a trait object.
pub(crate) trait DynSource: Send + Sync {
    fn text_dyn<'a>(&'a self, run: &'a RunContext) -> BoxFuture<'a, Result<Option<String>, BoxError>>;

    fn tools_dyn(&self, tools: &mut HookTools);

    fn changes_dyn(&self) -> PromptChange;
}

impl<S: PromptSource> DynSource for S {
    fn text_dyn<'a>(&'a self, run: &'a RunContext) -> BoxFuture<'a, Result<Option<String>, BoxError>> {
        Box::pin(self.text(run))
    }

    fn tools_dyn(&self, tools: &mut HookTools) {
        self.tools(tools);
    }

    fn changes_dyn(&self) -> PromptChange {
        self.changes()
    }
}
