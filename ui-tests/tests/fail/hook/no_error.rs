//! What ends a call is no `Error`: `?` would turn it into a tool error, and a retry would swallow it.
use onionskin::{Abort, Exit, Stop};

fn is_error<T: std::error::Error>() {}

//~ abort is no error
// If it were an `Error`, `?` would turn it into a tool error, and a retry would swallow it.
fn abort_is_no_error() { is_error::<Abort>(); }

//~ exit is no error
// If it were an `Error`, `?` would turn it into a tool error, and a retry would swallow it.
fn exit_is_no_error() { is_error::<Exit>(); }

//~ stop is no error
// If it were an `Error`, `?` would turn it into a tool error, and a retry would swallow it.
fn stop_is_no_error() { is_error::<Stop>(); }

fn main() {}
