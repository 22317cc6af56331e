// If one of these were an `Error`, `?` would turn an abort into a tool error, and a retry would swallow it.
use onionskin::{Abort, Exit, Stop};

fn is_error<T: std::error::Error>() {}

fn main() {
    is_error::<Exit>();
    is_error::<Stop>();
    is_error::<Abort>();
}
