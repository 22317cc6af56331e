//! A shop on the command line: a clerk who asks carriers, several at once, and pays back only what a person allows.
//!
//! ```text
//! cargo run -p onionskin-examples --bin shop -- chat --model script:examples/src/bin/shop/script.yaml
//! cargo run -p onionskin-examples --bin shop -- chat --model gpt-4o-mini
//! ```
//!
//! With the script, write "Where are my parcels?", and then "I want my money back.".

use std::time::Duration;

use onionskin::{Progress, agent, tool};

/// Pays money back.
#[tool(approval, effect = once)]
fn refund(order: u32, cents: u32) -> String {
    format!("{cents} cents of order {order} were paid back")
}

/// Follows a parcel to where it is now.
#[tool]
async fn track_parcel(parcel: String, progress: Progress) -> String {
    const STOPS: [&str; 3] = ["the warehouse", "the station", "the van"];
    for (done, stop) in (1..).zip(STOPS) {
        progress.report(f64::from(done), Some(3.0), stop.to_owned());
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    format!("{parcel} is in the van")
}

agent! {
    pub(crate) Clerk {
        default: true,
        instruction: "Serve the customers of the shop. Ask a carrier about each parcel, by its number.",
        function_tools: [refund],
        agents: [Carrier],
        max_display_instances: 2,
    }
    Carrier {
        description: "Knows where a parcel is.",
        instruction: "Say where the parcel with this number is.",
        function_tools: [track_parcel],
    }
}

onionskin::main!(Clerk, Carrier);
