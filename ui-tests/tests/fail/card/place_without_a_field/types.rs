/// The known facts.
#[derive(Clone, Default)]
pub struct Ledger {
    /// The guest.
    pub guest: String,
}
