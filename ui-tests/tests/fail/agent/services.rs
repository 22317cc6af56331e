//! What cannot be provided as a service.
use std::cell::Cell;

use onionskin::{ScriptedModel, agent};

agent! { Clerk { instruction: "Answer." } }

struct Pool;

//~ service is not sync
struct NotSync {
    open: Cell<u32>,
}

fn service_is_not_sync() {
    let _ = Clerk::builder().model(ScriptedModel::new()).provide(NotSync { open: Cell::new(1) });
}

//~ shared service without arc
fn shared_service_without_arc() {
    let _ = Clerk::builder().model(ScriptedModel::new()).provide_shared(Pool);
}

//~ service by reference
fn service_by_reference() {
    let pool = Pool;
    let _ = Clerk::builder().model(ScriptedModel::new()).provide(&pool);
}

fn main() {}
