//! Services: values of the program that tools, hooks and guardrails take by type, such as a database pool, an
//! HTTP client or a clock. With them, a library's tools do not depend on the program's state.

mod collection;
mod provided;

pub use collection::{ProvidedService, Services};
pub use onionskin_definitions::requirements::{Service, ServiceType, ServiceTypes};
pub use provided::{Provided, ServiceError};
