//! The guardrails of an agent around the calls of all of its tools: as they are declared, and as builders add them.

use std::any::type_name;
use std::sync::Arc;

use super::call_filter::CallFilter;
use super::declaration::AgentDeclaration;
use super::declared_guardrail::DeclaredGuardrail;
use super::identities::{Filtered, HookType};
use super::setup::{ExtraHook, works_on};
use crate::context::Guards;
use crate::onion::{AgentGuards, MadeBy, short_name};
use crate::policy::{
    AgentGuardrails, DynInputGuardrail, DynOutputGuardrail, InputGuardrail, OnCalls, OutputGuardrail,
};
use crate::tool::Works;

/// Those of builders: on arguments, and on results.
type Added = (Vec<ExtraHook<dyn DynInputGuardrail>>, Vec<ExtraHook<dyn DynOutputGuardrail>>);

/// Those of a declaration, then those of builders.
pub(super) fn all(
    input: Vec<DeclaredGuardrail<dyn DynInputGuardrail>>,
    output: Vec<DeclaredGuardrail<dyn DynOutputGuardrail>>,
    (more_input, more_output): Added,
) -> AgentGuardrails {
    AgentGuardrails { input: with_added(input, more_input), output: with_added(output, more_output) }
}

fn with_added<G: ?Sized>(declared: Vec<DeclaredGuardrail<G>>, added: Vec<ExtraHook<G>>) -> Vec<OnCalls<G>> {
    let added = added.into_iter().map(|extra| OnCalls { guardrail: extra.hook, concerns: None });
    declared.into_iter().map(|declared| declared.on_calls).chain(added).collect()
}

impl AgentDeclaration {
    /// Adds a guardrail on the arguments of the agent's calls, whatever the source of the tool: its functions, servers,
    /// children and built-in tools. It runs after those that were added before, inside all hooks of the agent and outside
    /// the tool's own layers, also where a hook calls the original tool. `on` says which calls it checks; `None`: all.
    ///
    /// An agent with another state than the guardrail's is not built
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
    pub fn input_guardrail<G>(mut self, guardrail: G, on: Option<CallFilter>) -> Self
    where
        G: InputGuardrail<Made: MadeBy<G, State: Works>>,
    {
        let guardrail: Arc<dyn DynInputGuardrail> = Arc::new(guardrail);
        let declared = self.declared_guardrail::<G, _, G::Made>(guardrail, on);
        self.input_guardrails.push(declared);
        self
    }

    /// Adds a guardrail on the results of the agent's calls; see [`Self::input_guardrail`]. It sees errors too, but no
    /// aborts.
    #[must_use]
    pub fn output_guardrail<G>(mut self, guardrail: G, on: Option<CallFilter>) -> Self
    where
        G: OutputGuardrail<Made: MadeBy<G, State: Works>>,
    {
        let guardrail: Arc<dyn DynOutputGuardrail> = Arc::new(guardrail);
        let declared = self.declared_guardrail::<G, _, G::Made>(guardrail, on);
        self.output_guardrails.push(declared);
        self
    }

    /// The guardrails alone, for calls without a run.
    #[doc(hidden)]
    pub fn guards(self) -> AgentGuards {
        let guardrails = all(self.input_guardrails, self.output_guardrails, (Vec::new(), Vec::new()));
        AgentGuards((!guardrails.is_empty()).then(|| Arc::new(guardrails) as Arc<dyn Guards>))
    }

    fn declared_guardrail<G: 'static, D: ?Sized, M: MadeBy<G, State: Works>>(
        &mut self,
        guardrail: Arc<D>,
        on: Option<CallFilter>,
    ) -> DeclaredGuardrail<D> {
        self.hook_states.push((type_name::<G>(), works_on::<G, M>()));
        let name = short_name::<G>();
        if on.as_ref().is_some_and(|on| on.is_everywhere) {
            self.guardrail_everywhere = Some(name);
        }
        let names = on.iter().flat_map(|on| &on.names);
        self.filter_names.extend(names.map(|tool| (name, tool.to_string().into())));
        let filter = on.as_ref().map(|on| match on.words {
            Some((except, words)) => Filtered { except, words: Some(words) },
            None => Filtered { except: false, words: None },
        });
        let on_calls = OnCalls { guardrail, concerns: on.map(|on| on.concerns) };
        DeclaredGuardrail { on_calls, ty: HookType::of_hook::<G, M>(), filter }
    }
}
