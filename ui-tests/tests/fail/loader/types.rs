//! Inputs, outputs and states that a card cannot name.
use onionskin::loader::{Registry, StateParts};

//~ an input without a schema
struct Question;

fn input_without_schema() { let _ = Registry::new().file("cards/items.rs", |items| items.input::<Question>()); }

//~ an output without a schema
struct Report;

fn output_without_schema() { let _ = Registry::new().file("cards/items.rs", |items| items.output::<Report>()); }

//~ a state that is not `Clone`
struct NotClone;

fn state_that_is_not_clone() { let _ = Registry::new().file("cards/items.rs", |items| items.state::<NotClone>()); }

//~ a state that is not recorded
#[derive(Clone)]
struct Ledger;

fn state_that_is_not_recorded() {
    let _ = Registry::new().file("cards/items.rs", |items| items.state_with::<Ledger>(StateParts::recorded));
}

fn main() {}
