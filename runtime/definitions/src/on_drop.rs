//! [`OnDrop`]: work at the end of a scope.

/// Calls its function when it is dropped, also after a panic. `std::mem::forget` prevents the call.
#[must_use = "the function is called at once if the value is not bound"]
pub struct OnDrop<F: FnMut()>(pub F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
