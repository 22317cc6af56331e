//! A remote A2A agent as an agent of the program.

mod client;
mod error;
mod events;
mod progress;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use onionskin_core::declaration::{AgentDeclaration, DynAgent};
use onionskin_core::question::AskError;
use onionskin_core::run::AgentRun;
use onionskin_core::{
    Args, Effect, Exit, RunError, Secret, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolResult,
};
use serde_json::json;

pub use error::RemoteError;

use crate::wire::{Message, Part, Role};
use client::Client;
use progress::Reply;

/// The questions of one call, at most.
const QUESTIONS: usize = 20;

/// An agent that is reached by address, over A2A 1. As a child, it gets what its parent's model asks, and its answer is the
/// result of the call. Its questions are questions of the run: an answerer answers them, or the run pauses.
///
/// The card of the agent is read before its first run. It must name a JSON-RPC interface on the same host, because the
/// headers go there. Redirects are not followed. A run that is dropped or cancelled cancels its task.
///
/// ```
/// use onionskin::declaration::{AgentDeclaration, DynAgent};
/// use onionskin::{App, ScriptedModel, Secret, a2a};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let weather = a2a::Remote::new("https://weather.example/agent")?
///     .header("authorization", Secret::new("Bearer t0ken".to_owned()))?
///     .agent("Weather", "Tells the weather of a place.");
/// let desk = DynAgent::new("Desk", move || AgentDeclaration::new().instruction("Plan trips.").dyn_child(&weather));
/// let app = App::builder().dyn_agent(&desk).model(ScriptedModel::new()).build().await?;
/// # drop(app);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// A type of its own makes it a child in `agent!`:
///
/// ```
/// use onionskin::declaration::AgentDeclaration;
/// use onionskin::run::AgentRun;
/// use onionskin::{Agent, RunError, a2a, agent};
///
/// struct Weather;
///
/// impl Agent for Weather {
///     const NAME: &'static str = "Weather";
///     type State = ();
///
///     fn declare() -> AgentDeclaration {
///         let remote = a2a::Remote::new("https://weather.example/agent").expect("the address is right");
///         remote.declare("Tells the weather of a place.")
///     }
///
///     async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
///         a2a::run_remote(run, input).await
///     }
/// }
///
/// agent! { Desk { instruction: "Plan trips.", agents: [Weather] } }
/// # let _ = Desk::builder();
/// ```
#[derive(Debug, Clone)]
pub struct Remote {
    client: client::Settings,
}

impl Remote {
    /// Creates the agent at this address; its card is at `/.well-known/agent-card.json` below it.
    ///
    /// # Errors
    /// Returns [`RemoteError::Url`] for an address that cannot be used.
    pub fn new(url: impl AsRef<str>) -> Result<Self, RemoteError> {
        Ok(Self { client: client::Settings::new(url.as_ref())? })
    }

    /// Adds a header to each request, such as `authorization`. The value is shown nowhere, and is removed from the texts of
    /// the run.
    ///
    /// # Errors
    /// Returns [`RemoteError::Header`] for a name or a value that HTTP does not allow.
    pub fn header(mut self, name: impl AsRef<str>, value: Secret<String>) -> Result<Self, RemoteError> {
        self.client.add_header(name.as_ref(), value)?;
        Ok(self)
    }

    /// Sets the time for one message and its answer. The default is 10 minutes.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.client.limit = limit;
        self
    }

    /// Sets the bytes that an answer may have. The default is 1 MiB.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.client.max_bytes = bytes;
        self
    }

    /// Makes the agent with this name. The description is for the models of its parents; the texts of the card are not shown
    /// to them.
    pub fn agent(self, name: impl Into<Arc<str>>, description: impl Into<String>) -> DynAgent {
        let (client, description) = (Client::new(self.client), description.into());
        DynAgent::new(name, move || declare(&client, &description))
            .with_run(|run, input| Box::pin(run_remote(run, input)))
    }

    /// Makes the declaration of an agent that is implemented by hand, whose `run` calls [`run_remote`].
    pub fn declare(self, description: impl Into<String>) -> AgentDeclaration {
        declare(&Client::new(self.client), &description.into())
    }
}

fn declare(client: &Client, description: &str) -> AgentDeclaration {
    AgentDeclaration::new().description(description).tool(AskRemote(client.clone()))
}

/// The loop of a remote agent: sends the input, and returns the answer. The agent's declaration is that of
/// [`Remote::declare`].
///
/// Cancel safety: dropping the future cancels the task of the remote agent.
///
/// # Errors
/// Returns [`RunError::Agent`] with the text of a [`RemoteError`] if there is no answer.
pub async fn run_remote(run: &AgentRun, input: String) -> Result<String, RunError> {
    match run.call_tool(AskRemote::NAME, json!({ "input": input })).await {
        Ok(output) => Ok(output.to_text().into_owned()),
        Err(Exit::Stop(stop)) => Ok(stop.output().to_text().into_owned()),
        Err(Exit::Tool(error)) => Err(RunError::agent(run.context().agent().name(), error.to_text())),
        Err(Exit::Abort(abort)) => Err(RunError::Aborted(abort)),
    }
}

/// The tool that a remote agent consists of. Its call is a step of the run with hooks, questions and records, as any call.
struct AskRemote(Client);

static DEFINITION: LazyLock<ToolDefinition> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": { "input": { "type": "string" } },
        "required": ["input"],
        "additionalProperties": false,
    });
    let definition = ToolDefinition::new(AskRemote::NAME, "Sends a message to the remote agent.");
    let mut definition = definition.with_input_schema(schema).asks();
    // What the agent does is not known.
    definition.effect = Effect::Once;
    definition.annotations.open_world = Some(true);
    definition
});

impl Tool for AskRemote {
    const NAME: &'static str = "a2a.ask";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &DEFINITION
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let client = &self.0;
        client.secrets().iter().for_each(|secret| cx.conceal(secret));
        let mut message = user_message(args["input"].as_str().unwrap_or_default());
        for number in 1.. {
            // A resumed run starts again from here, and the remote agent must not get a message twice.
            let name = format!("message {number}");
            let mut error = None;
            let reply = cx.record(&name, || {
                let error = &mut error;
                async move {
                    client.exchange(message).await.map_err(|reason| {
                        let text = reason.to_string();
                        *error = Some(reason);
                        text
                    })
                }
            });
            match reply.await.map_err(|text| error.map_or_else(|| Exit::tool(text), failed))? {
                Reply::Answer { text } => return Ok(ToolOutput::text(text)),
                Reply::Question { task_id, .. } if number > QUESTIONS => {
                    client.cancel(&task_id).await;
                    break;
                }
                Reply::Question { task_id, context_id, text } => match cx.ask::<String>(text).await {
                    Ok(answer) => {
                        message = user_message(&answer);
                        (message.task_id, message.context_id) = (Some(task_id), Some(context_id));
                    }
                    Err(error @ AskError::Declined { .. }) => {
                        client.cancel(&task_id).await;
                        return Err(error.into());
                    }
                    Err(error) => return Err(error.into()),
                },
            }
        }
        Err(failed(RemoteError::Questions { most: QUESTIONS }))
    }
}

fn failed(error: RemoteError) -> Exit {
    Exit::Tool(ToolError::from_source(error))
}

fn user_message(text: &str) -> Message {
    Message { role: Role::User, parts: vec![Part::text(text)], ..Message::default() }
}
