//! Each module is a program: an agent, a registry and a setup of another type.
use onionskin::agent;

agent! { Helper { instruction: "Help." } }

struct Other;

//~ not an agent
mod not_an_agent {
    use crate::{Helper, Other};

    onionskin::main!(Helper, Other);
}

//~ a registry of another type
mod registry_of_another_type {
    onionskin::main! {
        agents: [crate::Helper],
        registry: 3,
    }
}

//~ a setup that returns nothing
mod setup_gives_nothing {
    onionskin::main! {
        agents: [crate::Helper],
        setup: |app| {
            let _ = app;
        },
    }
}

//~ a setup without a parameter
mod setup_without_parameter {
    onionskin::main! {
        agents: [crate::Helper],
        setup: || 3,
    }
}

fn main() {}
