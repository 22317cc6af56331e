//! A future in a box, made outside of the frame of its caller.

use std::pin::Pin;

/// Makes a future and boxes it. With `Box::pin(make())`, a debug build reserves room for the future in the frame of the
/// caller, and a caller on the stack of nested runs has it once for each of them.
pub fn boxed<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::pin(make())
}
