//! The guardrails around all tool calls of an agent, declared or added by builders.

use std::any::type_name;
use std::mem::take;
use std::sync::Arc;

use onionskin_definitions::requirements::StateType;
use onionskin_tools::onion::{MadeBy, short_name};
use onionskin_tools::policy::{
    AgentGuardrails, DynInputGuardrail, DynOutputGuardrail, InputGuardrail, OnCalls, OutputGuardrail,
};
use onionskin_tools::tool::Works;

use crate::agent::parts::Parts;
use crate::agent::parts::declared_guardrail::DeclaredGuardrail;
use crate::agent::parts::identities::{Filtered, HookType};

use super::call_filter::CallFilter;
use super::{AgentDeclaration, works_on};

impl AgentDeclaration {
    /// Adds a guardrail on the arguments of the agent's calls, regardless of the source of the tool:
    /// functions, servers, children and built-in tools. It runs after those added before, inside all hooks of
    /// the agent and outside the tool's own layers, also where a hook calls the original tool. `on` selects
    /// the calls to check; `None`: all.
    ///
    /// Building fails if the guardrail takes another state than the agent's
    /// ([`BuildError::HookState`](crate::BuildError::HookState)).
    ///
    /// ```
    /// use onionskin::declaration::{AgentDeclaration, CallFilter};
    /// use onionskin::guardrails::{MaskPii, RejectInjection};
    ///
    /// let of_web = CallFilter::new(|call| call.server_name() == Some("web"));
    /// let clerk = AgentDeclaration::new()
    ///     .instruction("Answer.")
    ///     .server("web", None)
    ///     .input_guardrail(MaskPii::default(), None)
    ///     .output_guardrail(RejectInjection, Some(of_web));
    /// # let _ = clerk;
    /// ```
    #[must_use]
    pub fn input_guardrail<G>(self, guardrail: G, on: Option<CallFilter>) -> Self
    where
        G: InputGuardrail<Made: MadeBy<G, State: Works>>,
    {
        self.with_input_guardrail(guardrail, on, works_on::<G, G::Made>())
    }

    /// Adds a guardrail on the results of the agent's calls; see [`Self::input_guardrail`]. It also sees
    /// errors, but not aborts.
    #[must_use]
    pub fn output_guardrail<G>(self, guardrail: G, on: Option<CallFilter>) -> Self
    where
        G: OutputGuardrail<Made: MadeBy<G, State: Works>>,
    {
        self.with_output_guardrail(guardrail, on, works_on::<G, G::Made>())
    }

    pub(in crate::agent) fn with_input_guardrail<G: InputGuardrail>(
        mut self,
        guardrail: G,
        on: Option<CallFilter>,
        states: Vec<StateType>,
    ) -> Self {
        let guardrail: Arc<dyn DynInputGuardrail> = Arc::new(guardrail);
        let declared = self.declared_guardrail::<G, _, G::Made>(guardrail, on, states);
        self.parts.input_guardrails.push(declared);
        self
    }

    pub(in crate::agent) fn with_output_guardrail<G: OutputGuardrail>(
        mut self,
        guardrail: G,
        on: Option<CallFilter>,
        states: Vec<StateType>,
    ) -> Self {
        let guardrail: Arc<dyn DynOutputGuardrail> = Arc::new(guardrail);
        let declared = self.declared_guardrail::<G, _, G::Made>(guardrail, on, states);
        self.parts.output_guardrails.push(declared);
        self
    }

    fn declared_guardrail<G: 'static, D: ?Sized, M: MadeBy<G>>(
        &mut self,
        guardrail: Arc<D>,
        on: Option<CallFilter>,
        states: Vec<StateType>,
    ) -> DeclaredGuardrail<D> {
        self.parts.hook_states.push((type_name::<G>(), states));
        let name = short_name::<G>();
        if on.as_ref().is_some_and(|on| on.is_everywhere) {
            self.parts.guardrail_everywhere = Some(format!("the guardrail `{name}`"));
        }
        let (on_calls, filter) = self.on_calls(name, guardrail, on);
        DeclaredGuardrail { on_calls, ty: HookType::for_hook::<G, M>(), filter }
    }

    /// A guardrail or a rule for approval, called `name`, with its filter.
    pub(super) fn on_calls<G: ?Sized>(
        &mut self,
        name: &'static str,
        guardrail: Arc<G>,
        on: Option<CallFilter>,
    ) -> (OnCalls<G>, Option<Filtered>) {
        let names = on.iter().flat_map(|on| &on.names);
        self.parts.filter_names.extend(names.map(|tool| (name, tool.to_string().into())));
        let filter = on.as_ref().map(|on| match on.words {
            Some((except, words)) => Filtered { except, words: Some(words) },
            None => Filtered { except: false, words: None },
        });
        (OnCalls { guardrail, concerns: on.map(|on| on.concerns) }, filter)
    }
}

impl Parts {
    /// The guardrails, in the order in which they run, and the rules for approval.
    pub(in crate::agent) fn take_guardrails(&mut self) -> AgentGuardrails {
        AgentGuardrails {
            input: take(&mut self.input_guardrails).into_iter().map(|declared| declared.on_calls).collect(),
            output: take(&mut self.output_guardrails).into_iter().map(|declared| declared.on_calls).collect(),
            approval: take(&mut self.approval).into_iter().map(|declared| declared.on_calls).collect(),
            hooks_that_ask: Vec::new(),
        }
    }
}
