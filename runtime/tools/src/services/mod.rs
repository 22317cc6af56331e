//! Services: values of the program that tools, hooks and guardrails take by their type, such as a database pool, an HTTP
//! client or a clock. A library's tools need no part of the program's state for them.

mod given;
mod provided;

pub use given::{GivenService, Services};
pub use onionskin_definitions::requirements::{Service, ServiceType, ServiceTypes};
pub use provided::{Provided, ServiceError};
