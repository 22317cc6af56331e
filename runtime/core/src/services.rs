//! Services: values of the program that tools, hooks and guardrails take by type, such as a database pool, an
//! HTTP client or a clock. So the tools of a library need no part of the program's state.
//!
//! The program passes a value to the builder (`.provide(..)`), and a function takes it as [`Provided<T>`].
//! The macros list the services that a function takes, so that building an agent reports missing and unused
//! services. Hand-written code lists them itself:
//!
//! | Code | Declares its services with |
//! |---|---|
//! | [`Inject`](crate::Inject) for a type | [`Inject::services`](crate::Inject::services) |
//! | [`Tool`](crate::Tool), [`DynTool`](crate::DynTool) | [`ToolDefinition::takes_service`](crate::ToolDefinition::takes_service) |
//! | a closure as a tool | [`ToolSpec::takes_service`](crate::ToolSpec::takes_service) |
//! | [`Hook`](crate::Hook) | [`Hook::services`](crate::Hook::services) |
//! | [`RunHook`](crate::run_hooks::RunHook) | [`RunHook::services`](crate::run_hooks::RunHook::services) |
//! | [`TurnHook`](crate::turn_hooks::TurnHook) | [`TurnHook::services`](crate::turn_hooks::TurnHook::services) |
//! | [`MessageHook`](crate::message_hooks::MessageHook) | [`MessageHook::services`](crate::message_hooks::MessageHook::services) |
//! | guardrail | [`InputGuardrail::services`](crate::guardrails::InputGuardrail::services), [`OutputGuardrail::services`](crate::guardrails::OutputGuardrail::services) |
//! | [`Agent`](crate::Agent) | [`AgentDeclaration::takes_service`](crate::declaration::AgentDeclaration::takes_service) |

pub use onionskin_tools::services::{Provided, Service, ServiceError, ServiceType, ServiceTypes};
