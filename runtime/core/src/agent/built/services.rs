//! The services of agents: compares those that the builder and each request provide with those that tools,
//! hooks and guardrails take.

use std::collections::BTreeSet;
use std::sync::Arc;

use onionskin_definitions::requirements::StateType;
use onionskin_definitions::text::list;
use onionskin_tools::context::{RunContext, ToolEntry};
use onionskin_tools::onion::caught;
use onionskin_tools::policy::AgentGuardrails;
use onionskin_tools::services::{ProvidedService, ServiceType, ServiceTypes, Services};

use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::agent::parts::Parts;

use super::tool_checks::other_than;

/// The services provided to a builder.
#[derive(Clone, Default)]
pub(in crate::agent) struct ProvidedServices {
    services: Services,
    /// The services that each request provides.
    per_request: Vec<ServiceType>,
    /// Whether services may be unused, also the services of requests.
    pub(in crate::agent) allows_unused: bool,
}

impl ProvidedServices {
    /// Adds a service. It replaces an earlier one of the same type.
    pub(in crate::agent) fn insert(&mut self, service: ProvidedService) {
        self.per_request.retain(|other| *other != service.ty);
        self.services.insert(service);
    }

    /// As [`Self::insert`], for a service that each request provides.
    pub(in crate::agent) fn give_per_request(&mut self, service: ServiceType) {
        self.services.remove(service);
        if !self.per_request.contains(&service) {
            self.per_request.push(service);
        }
    }

    pub(in crate::agent) fn has(&self, service: ServiceType) -> bool {
        self.services.has(service) || self.per_request.contains(&service)
    }

    /// The missing service, or the mismatched state, of a server's tool: for all runs, or for one.
    pub(super) fn missing_for(
        &self,
        agent: &str,
        state: StateType,
        tool: &ToolEntry,
        run: Option<&RunContext>,
    ) -> Option<BuildError> {
        let taken = &tool.definition.services;
        if let Some(other) = other_than(state, taken.states()) {
            return Some(other_state(agent, &tool_label(tool), other, state));
        }
        let has = |service| self.has(service) || run.is_some_and(|run| run.services().has(service));
        let service = taken.required().find(|service| !has(*service))?;
        Some(BuildError::NoService { agent: agent.to_owned(), part: tool_label(tool), service })
    }

    /// All services, each with the builder call that provided it.
    fn calls(&self) -> impl Iterator<Item = (ServiceType, &'static str)> {
        let provided = self.services.all().iter().map(|service| (service.ty, service.call));
        provided.chain(self.per_request.iter().map(|service| (*service, ".provide_per_request::<..>()")))
    }

    /// The services that none of these agents take, unless they may be unused.
    pub(in crate::agent) fn unused<'t>(
        &self,
        agents: impl Iterator<Item = &'t AgentServices>,
        problems: &mut Vec<BuildError>,
    ) {
        if self.allows_unused {
            return;
        }
        let taken: Vec<_> = agents.flat_map(AgentServices::types).collect();
        for (service, call) in self.calls().filter(|(service, _)| !taken.contains(service)) {
            // `.provide(Arc::new(pool))` provides an `Arc<Pool>`.
            let is_shared = service.name().starts_with("alloc::sync::Arc<") && call == ".provide(..)";
            problems.push(BuildError::UnusedService {
                service,
                call,
                advice: if is_shared {
                    "; provide the value in an `Arc` with `.provide_shared(..)`"
                } else {
                    ""
                },
                accepted: names(taken.iter().copied()),
            });
        }
    }
}

fn names(services: impl Iterator<Item = ServiceType>) -> String {
    let names: BTreeSet<_> = services.map(|service| format!("`{}`", service.name())).collect();
    list(names)
}

/// A part of an agent that takes a service.
#[derive(Clone, PartialEq)]
struct Taker {
    agent: Arc<str>,
    /// The part, such as ``the tool `pay` ``.
    part: Arc<str>,
    service: ServiceType,
    is_required: bool,
}

/// The services that a built agent and its children take, and those provided to their builder.
#[derive(Default)]
pub(crate) struct AgentServices {
    provided: ProvidedServices,
    takers: Vec<Taker>,
    /// The parts of the agent itself that take its state, each with the expected type.
    states: Vec<(Arc<str>, StateType)>,
}

impl AgentServices {
    pub(in crate::agent) fn new(provided: &ProvidedServices) -> Self {
        Self { provided: provided.clone(), ..Self::default() }
    }

    /// Adds the services of an agent's hooks, guardrails and own code.
    ///
    /// # Errors
    /// Returns the message of a panic in their code.
    pub(in crate::agent) fn add_declared(
        &mut self,
        agent: &Arc<str>,
        declaration: &Parts,
        guardrails: &AgentGuardrails,
    ) -> Result<(), String> {
        let mut add = |part: String, list: &dyn Fn(&mut ServiceTypes)| {
            let mut taken = ServiceTypes::default();
            caught(|| list(&mut taken))?;
            self.add(agent, part, &taken);
            Ok::<(), String>(())
        };
        for hook in &declaration.compiled_hooks {
            add(format!("the hook `{}`", hook.name), &hook.services)?;
        }
        for hook in &declaration.hooks {
            add(format!("the hook `{}`", hook.name()), &|taken| hook.services_dyn(taken))?;
        }
        add("the code".to_owned(), &|taken| taken.clone_from(&declaration.services))?;
        for guardrail in guardrails.input.iter().map(|on_calls| &on_calls.guardrail) {
            add(format!("the guardrail `{}`", guardrail.name()), &|taken| guardrail.services_dyn(taken))?;
        }
        for guardrail in guardrails.output.iter().map(|on_calls| &on_calls.guardrail) {
            add(format!("the guardrail `{}`", guardrail.name()), &|taken| guardrail.services_dyn(taken))?;
        }
        for hook in &declaration.run_hooks {
            add(format!("the run hook `{}`", hook.name()), &|taken| hook.services_dyn(taken))?;
        }
        for hook in &declaration.turn_hooks {
            add(format!("the turn hook `{}`", hook.name()), &|taken| hook.services_dyn(taken))?;
        }
        for hook in &declaration.message_hooks {
            add(format!("the message hook `{}`", hook.name()), &|taken| hook.services_dyn(taken))?;
        }
        Ok(())
    }

    /// Adds a tool of an agent.
    pub(in crate::agent) fn add_tool(&mut self, agent: &Arc<str>, tool: &ToolEntry) {
        self.add(agent, tool_label(tool), &tool.definition.services);
    }

    /// Adds the parts of a child.
    pub(in crate::agent) fn add_child(&mut self, child: &Self) {
        for taker in &child.takers {
            if !self.takers.contains(taker) {
                self.takers.push(taker.clone());
            }
        }
    }

    fn add(&mut self, agent: &Arc<str>, part: String, taken: &ServiceTypes) {
        let part: Arc<str> = part.into();
        self.states.extend(taken.states().iter().map(|state| (Arc::clone(&part), *state)));
        self.takers.extend(taken.all().map(|service| Taker {
            agent: Arc::clone(agent),
            part: Arc::clone(&part),
            service,
            is_required: taken.required().any(|required| required == service),
        }));
    }

    /// Whether a part of the agent or of its children takes the service.
    pub(in crate::agent) fn takes(&self, service: ServiceType) -> bool {
        self.types().any(|taken| taken == service)
    }

    fn types(&self) -> impl Iterator<Item = ServiceType> {
        self.takers.iter().map(|taker| taker.service)
    }

    /// The required services of this agent that were not provided, and the parts that take another state than
    /// the agent's. Children report their own.
    pub(in crate::agent) fn missing(
        &self,
        agent: &Arc<str>,
        state: StateType,
        problems: &mut Vec<BuildError>,
    ) {
        for (part, takes) in self.states.iter().filter(|(_, takes)| *takes != state) {
            // The check of the hooks reports this with a more specific error.
            let is_known = |problem: &BuildError| matches!(problem, BuildError::HookState { agent: of, takes: known, .. } if **of == **agent && *known == takes.name());
            if !problems.iter().any(is_known) {
                problems.push(other_state(agent, part, *takes, state));
            }
        }
        let own = self.takers.iter().filter(|taker| taker.agent == *agent);
        let missing = own.filter(|taker| taker.is_required && !self.provided.has(taker.service));
        problems.extend(missing.map(|taker| BuildError::NoService {
            agent: agent.to_string(),
            part: taker.part.to_string(),
            service: taker.service,
        }));
    }

    /// Checks what a hook takes that is added to the built agent.
    ///
    /// # Errors
    /// Returns an error if a service is not provided, if a request may leave it out, or if the hook takes another state
    /// than the agent's.
    pub(in crate::agent) fn check_added(
        &self,
        agent: &str,
        state: StateType,
        part: &str,
        taken: &ServiceTypes,
    ) -> Result<(), BuildError> {
        if let Some(other) = other_than(state, taken.states()) {
            return Err(other_state(agent, part, other, state));
        }
        // A request has to provide only what parts of the build take.
        let is_there = |service: &ServiceType| {
            self.provided.services.has(*service) || self.per_request().any(|other| other == *service)
        };
        let missing = taken.required().find(|service| !is_there(service));
        missing.map_or(Ok(()), |service| {
            Err(BuildError::NoService { agent: agent.to_owned(), part: part.to_owned(), service })
        })
    }

    /// The services that each request has to provide.
    pub(in crate::agent) fn per_request(&self) -> impl Iterator<Item = ServiceType> {
        self.provided
            .per_request
            .iter()
            .copied()
            .filter(|service| self.types().any(|taken| taken == *service))
    }

    /// The services of a run whose request provides some.
    ///
    /// # Errors
    /// Returns an error if the request lacks a required service, or provides an unused one although services
    /// may not be unused. `is_taken_else` returns whether a tool that was added after the build takes the
    /// service.
    pub(super) fn for_request(
        &self,
        agent: &Arc<str>,
        request: &Services,
        is_taken_else: impl Fn(ServiceType) -> bool,
    ) -> Result<Services, RunError> {
        let is_taken = |service| {
            self.provided.allows_unused
                || self.types().any(|taken| taken == service)
                || is_taken_else(service)
        };
        if let Some(unused) = request.all().iter().find(|service| !is_taken(service.ty)) {
            let (agent, accepted) = (Arc::clone(agent), names(self.types()));
            return Err(RunError::UnusedService { agent, service: unused.ty, accepted });
        }
        self.complete(request)?;
        Ok(self.provided.services.with(request))
    }

    /// The services of a run that another agent's call starts: the builder's, and the caller's services that
    /// each request provides.
    ///
    /// # Errors
    /// Returns an error if the caller lacks one of these.
    pub(in crate::agent) fn for_call(&self, caller: &Services) -> Result<Services, RunError> {
        self.complete(caller)?;
        let mut services = self.provided.services.clone();
        let wanted = caller.all().iter().filter(|service| self.provided.per_request.contains(&service.ty));
        wanted.for_each(|service| services.insert(service.clone()));
        Ok(services)
    }

    /// Checks that the request provides all required services.
    fn complete(&self, request: &Services) -> Result<(), RunError> {
        for service in self.provided.per_request.iter().filter(|service| !request.has(**service)) {
            if let Some(taker) = self.takers.iter().find(|taker| taker.service == *service) {
                return Err(RunError::NoService {
                    agent: Arc::clone(&taker.agent),
                    part: Arc::clone(&taker.part),
                    service: *service,
                });
            }
        }
        Ok(())
    }
}

fn other_state(agent: &str, part: &str, takes: StateType, state: StateType) -> BuildError {
    let (agent, part) = (agent.to_owned(), part.to_owned());
    BuildError::OtherState { agent, part, takes: takes.name(), state: state.name() }
}

fn tool_label(tool: &ToolEntry) -> String {
    format!("the tool `{}`", tool.name)
}
