//! What cannot be provided as a service.
use std::cell::Cell;

use onionskin::{ScriptedModel, agent};

agent! { Clerk { instruction: "Answer." } }

struct Pool;

//~ a service that is not `Sync`
struct NotSync {
    open: Cell<u32>,
}

fn service_is_not_sync() {
    let _ = Clerk::builder().model(ScriptedModel::new()).provide(NotSync { open: Cell::new(1) });
}

//~ a shared service without `Arc`
fn shared_service_without_arc() {
    let _ = Clerk::builder().model(ScriptedModel::new()).provide_shared(Pool);
}

//~ a service by reference
fn service_by_reference() {
    let pool = Pool;
    let _ = Clerk::builder().model(ScriptedModel::new()).provide(&pool);
}

fn main() {}
