//! Each field of a card, in an invocation that names the crate, inside of a function and beside types called as ours.
use peel as my_onionskin;

/// An agent of the program.
pub mod agents {
    peel::agent! {
        pub Helper { crate: peel, state: crate::card::everything::parts::Ledger, description: "Helps.", instruction: "Help." }
    }
}

/// The items that cards name by their paths.
pub mod parts {
    use peel::{RunContext, tool};

    /// What the desk knows.
    #[derive(Clone, Default)]
    pub struct Ledger {
        /// The name of the desk.
        pub desk: String,
        /// The key of its server.
        pub key: Option<peel::Secret<String>>,
    }

    /// Subtracts one.
    #[tool(crate = peel)]
    pub fn subtract_one(x: i64) -> i64 {
        x - 1
    }

    pub fn greeting(_: &RunContext) -> String {
        "Say hello.".to_owned()
    }
}

struct String;
struct Result;
struct Option;

pub(crate) fn main() {
    my_onionskin::agent!(card = ["cards/everything/desk.md", "cards/everything/back.yaml"], crate = peel);

    let desk = Desk::builder();
    drop((desk, BackOffice::builder(), String, Result, Option));
}
