//! What ends a call is no `Error`: `?` would turn it into a tool error, and a retry would swallow it.
use onionskin::{Abort, Exit, Stop};

fn is_error<T: std::error::Error>() {}

//~ `Abort`
// If it were an `Error`, `?` would turn it into a tool error, and a retry would swallow it.
fn abort_is_no_error() { is_error::<Abort>(); }

//~ `Exit`
// If it were an `Error`, `?` would turn it into a tool error, and a retry would swallow it.
fn exit_is_no_error() { is_error::<Exit>(); }

//~ `Stop`
// If it were an `Error`, `?` would turn it into a tool error, and a retry would swallow it.
fn stop_is_no_error() { is_error::<Stop>(); }

fn main() {}
