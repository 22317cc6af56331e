//! Agents in modules, inside functions, with visibilities, imported under other names.
mod team {
    pub(crate) mod tools {
        /// Adds one.
        #[onionskin::tool]
        pub(crate) fn add_one(x: i64) -> i64 {
            x + 1
        }

        #[onionskin::tool_hook]
        pub(in crate::agent::modules::team) fn watch() {}
    }

    onionskin::agent! {
        pub(crate) Worker { description: "Works.", instruction: "Work.", function_tools: [tools::add_one], tool_hooks: [self::tools::watch] }
        pub(super) Lead { description: "Leads.", instruction: "Lead.", agents: [crate::agent::modules::team::Worker] }
    }
}

use team::{Lead as Chief, tools::add_one as plus};

onionskin::agent! {
    Boss { description: "Leads.", instruction: "Boss.", agents: [Chief, team::Worker], function_tools: [plus] }
}

pub(crate) fn main() {
    /// Adds two.
    #[onionskin::tool]
    fn add_two(x: i64) -> i64 {
        x + 2
    }

    onionskin::agent! {
        Local { instruction: "Local.", agents: [Boss], function_tools: [add_two] }
    }
    let _ = (Local::builder(), Boss::builder());
}
