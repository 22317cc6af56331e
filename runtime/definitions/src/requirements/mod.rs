//! What a tool, a hook or a guardrail takes from the program: the types of services, and of the states of agents.

mod services;
mod state;

pub use services::{Service, ServiceType, ServiceTypes};
pub use state::StateType;
