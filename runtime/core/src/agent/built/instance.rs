//! A built agent: its declaration combined with a model, servers and dynamic hooks.

use std::sync::{Arc, Mutex};

use onionskin_definitions::definition::Asks;
use onionskin_definitions::lock::lock;
use onionskin_definitions::requirements::StateType;
use onionskin_tools::context::{AgentInfo, DynCall};
use onionskin_tools::model::{BoxModel, History};
use onionskin_tools::onion::DynHook;
use onionskin_tools::policy::AgentGuardrails;
use onionskin_tools::services::Services;

use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::AnswerForm;
use crate::agent::form::input_form::InputForm;
use crate::agent::limits::Limits;
use crate::agent::parts::Parts;
use crate::message_hook::{AddedHook, MessageHooks};

use super::services::AgentServices;
use super::tool_list::ToolList;

/// A built agent. All its runs share its tools, hooks and connections.
pub(crate) struct Instance {
    pub(crate) info: AgentInfo,
    pub(crate) name: Arc<str>,
    /// Its declaration, with the changes of the builder.
    pub(in crate::agent) declaration: Parts,
    pub(crate) model: BoxModel,
    /// The type of its input from parents, if it has one.
    pub(in crate::agent) input: Option<Arc<InputForm>>,
    /// The type of its answers, if they have one.
    pub(in crate::agent) answer: Option<Arc<AnswerForm>>,
    pub(crate) onion: Arc<dyn DynCall>,
    pub(crate) core: Arc<dyn DynCall>,
    pub(in crate::agent) guardrails: Arc<AgentGuardrails>,
    /// Its hooks that also see the calls of descendants.
    pub(in crate::agent) reaches: Arc<[Arc<dyn DynHook>]>,
    /// The hooks on its messages, for runs that begin now.
    pub(in crate::agent) message_hooks: Mutex<Option<Arc<MessageHooks>>>,
    pub(crate) state: StateType,
    /// The states that a session must contain, each with the agent that needs it: this agent or a descendant.
    pub(crate) needs: Vec<(Arc<str>, StateType)>,
    /// The services that the agent and its descendants take.
    pub(crate) services: AgentServices,
    /// The initial messages that were set when the agent was built.
    pub(crate) messages: History,
    /// The questions that its calls, and those of its children, may ask a person.
    pub(crate) asks: Asks,
    /// Whether spans have the content of messages, arguments and results.
    pub(crate) trace_content: bool,
    /// The tools of all runs.
    pub(in crate::agent) tools: ToolList,
}

impl Instance {
    pub(in crate::agent) fn limits(&self) -> &Limits {
        &self.declaration.settings.limits
    }

    /// The hooks on the messages of a run that begins now.
    pub(in crate::agent) fn message_hooks(&self) -> Option<Arc<MessageHooks>> {
        lock(&self.message_hooks).clone()
    }

    /// Adds a hook on the messages of later runs.
    pub(in crate::agent) fn add_message_hook(&self, hook: AddedHook) {
        let mut hooks = lock(&self.message_hooks);
        *hooks = Some(Arc::new(MessageHooks::and(&self.name, hooks.as_deref(), hook)));
    }

    /// The services of a run whose request provides some, and offers others, which need not be taken.
    pub(in crate::agent) fn services_of(
        &self,
        request: &Services,
        offered: &Services,
    ) -> Result<Services, RunError> {
        // A server's tool can be newer than the agent.
        let is_taken_else = |service| {
            let tools = self.tools.tools(None).map(|tools| tools.table);
            tools.is_ok_and(|table| table.entries().iter().any(|tool| tool.definition.services.has(service)))
        };
        if offered.all().is_empty() {
            return self.services.for_request(&self.name, request, is_taken_else);
        }
        let mut all = request.clone();
        let is_taken = |service| self.services.takes(service) || is_taken_else(service);
        let taken = offered.all().iter().filter(|service| !request.has(service.ty) && is_taken(service.ty));
        taken.for_each(|service| all.insert(service.clone()));
        self.services.for_request(&self.name, &all, is_taken_else)
    }
}
