//! Inputs, outputs and states that a card cannot name.
use onionskin::loader::{Registry, StateParts};

//~ input without schema
struct Question;

fn input_without_schema() {
    let _ = Registry::new().file("cards/items.rs", |items| items.input::<Question>());
}

//~ output without schema
struct Report;

fn output_without_schema() {
    let _ = Registry::new().file("cards/items.rs", |items| items.output::<Report>());
}

//~ state that is not clone
struct NotClone;

fn state_that_is_not_clone() {
    let _ = Registry::new().file("cards/items.rs", |items| items.state::<NotClone>());
}

//~ state that is not recorded
#[derive(Clone)]
struct Ledger;

fn state_that_is_not_recorded() {
    let _ = Registry::new().file("cards/items.rs", |items| items.state_with::<Ledger>(StateParts::recorded));
}

fn main() {}
