//! The services and agent states that tools, hooks and guardrails take.

mod services;
mod state;

pub use services::{Service, ServiceType, ServiceTypes};
pub use state::StateType;
