//! The system prompt of an agent, for all runs or for one run whose request changes it.

use std::borrow::Cow;
use std::sync::Arc;

use onionskin_definitions::requirements::StateType;
use onionskin_tools::context::{AgentInfo, RunContext, ToolTable};
use onionskin_tools::journal::fingerprint;
use onionskin_tools::model::{BoxModel, Model as _};
use onionskin_tools::state::StateCodec;

use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::prompt::{Known, Prompt, PromptFailure, PromptPart, SystemPrompt};

/// The changes of the prompt for one turn.
#[derive(Clone, Copy)]
pub(in crate::agent) struct TurnParts<'t> {
    /// The text that replaces the agent's instruction.
    pub(in crate::agent) instruction: Option<&'t Arc<str>>,
    /// Whether the run's answer is a tool call.
    pub(in crate::agent) answer_is_call: bool,
    /// The values that a parser reads out of the answer.
    pub(in crate::agent) parsed_values: Option<&'t str>,
}

impl TurnParts<'_> {
    /// A turn that changes nothing.
    pub(super) const AGENTS: Self = Self { instruction: None, answer_is_call: false, parsed_values: None };
}

/// The system prompt of an agent.
#[derive(Clone)]
pub(crate) struct AgentPrompt {
    agent: AgentInfo,
    model_instructions: Option<Cow<'static, str>>,
    model_system_message: Option<Cow<'static, str>>,
    /// The state that the prompt can show, and whether it can be serialised.
    state: (StateType, bool),
    prompt: Prompt,
}

impl AgentPrompt {
    pub(in crate::agent) fn new(
        agent: AgentInfo,
        model: &BoxModel,
        (state, codec): (StateType, Option<StateCodec>),
        prompt: Prompt,
    ) -> Result<Self, BuildError> {
        let has_json = codec.is_some() || state.is_none();
        let prompt = Self {
            agent,
            model_instructions: model.instructions(),
            model_system_message: model.system_message(),
            state: (state, has_json),
            prompt,
        };
        prompt.check()?;
        Ok(prompt)
    }

    fn check(&self) -> Result<(), BuildError> {
        let agent = || self.agent.name().to_owned();
        if let Some(part) = self.prompt.without_text() {
            return Err(BuildError::NoPromptText { agent: agent(), part });
        }
        let (state, has_json) = self.state;
        if has_json {
            return Ok(());
        }
        if self.prompt.shows_state() {
            return Err(BuildError::NoStateText { agent: agent(), state: state.name() });
        }
        let unfilled = |(part, placeholder): (_, &str)| {
            let placeholder = placeholder.to_owned();
            Err(BuildError::UnfilledPlaceholder { agent: agent(), part, placeholder, state: state.name() })
        };
        self.prompt.placeholder_of_state().map_or(Ok(()), unfilled)
    }

    /// Merges the parts of a builder into the prompt of an agent.
    pub(in crate::agent) fn merged(
        agent: &str,
        prompt: Prompt,
        provided: Prompt,
    ) -> Result<Prompt, BuildError> {
        if let Some(part) = prompt.left_out_of(&provided) {
            return Err(BuildError::UnusedPromptPart { agent: agent.to_owned(), part, is_left_out: true });
        }
        prompt.with_provided(provided).map_err(|part| Self::unused(agent, part))
    }

    fn unused(agent: &str, part: PromptPart) -> BuildError {
        BuildError::UnusedPromptPart { agent: agent.to_owned(), part, is_left_out: false }
    }

    /// Returns this prompt with the parts of a request, and those of its model.
    pub(in crate::agent) fn for_request(
        &self,
        provided: Prompt,
        model: Option<&BoxModel>,
    ) -> Result<Self, BuildError> {
        let merged = self.prompt.clone().with_request(provided);
        let merged = merged.map_err(|part| Self::unused(self.agent.name(), part))?;
        let mut prompt = Self { prompt: merged, ..self.clone() };
        if let Some(model) = model {
            prompt.model_instructions = model.instructions();
            prompt.model_system_message = model.system_message();
        }
        prompt.check()?;
        Ok(prompt)
    }

    /// Whether the prompt is the same in all runs and turns with the same tools.
    pub(in crate::agent) fn is_fixed(&self) -> bool {
        self.prompt.is_fixed()
    }

    /// The hash of the parts that must be equal in a replay.
    pub(in crate::agent) fn request_hash(&self, table: &ToolTable, turn: TurnParts<'_>) -> String {
        let Known {
            name,
            description,
            tools,
            model_instructions,
            model_system_message,
            instruction,
            answer_is_call,
            parsed_values,
        } = self.known(table, turn);
        let known =
            (name, description, tools, model_instructions, model_system_message, instruction.map(|it| &**it));
        match parsed_values {
            None => fingerprint(&(self.prompt.shape(), known, answer_is_call)),
            Some(values) => fingerprint(&(self.prompt.shape(), known, answer_is_call, values)),
        }
    }

    /// The text of a fixed prompt.
    pub(in crate::agent) fn fixed(&self, table: &ToolTable, turn: TurnParts<'_>) -> SystemPrompt {
        self.prompt.fixed(&self.known(table, turn))
    }

    /// The text of the prompt in a run.
    pub(in crate::agent) async fn in_run(
        &self,
        table: &ToolTable,
        turn: TurnParts<'_>,
        run: &RunContext,
    ) -> Result<SystemPrompt, RunError> {
        let made = self.prompt.in_run(&self.known(table, turn), run).await;
        made.map_err(|PromptFailure { part, source }| RunError::Prompt {
            agent: self.agent.name().into(),
            part,
            source: source.into(),
        })
    }

    fn known<'k>(&'k self, table: &'k ToolTable, turn: TurnParts<'k>) -> Known<'k> {
        Known {
            name: self.agent.name(),
            description: self.agent.description(),
            tools: table
                .entries()
                .iter()
                .filter_map(|entry| entry.definition.instructions.as_deref())
                .collect(),
            model_instructions: self.model_instructions.clone(),
            model_system_message: self.model_system_message.clone(),
            instruction: turn.instruction,
            answer_is_call: turn.answer_is_call,
            parsed_values: turn.parsed_values,
        }
    }
}
