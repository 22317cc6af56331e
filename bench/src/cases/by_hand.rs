//! The same hooks nested by hand: plain generic types, the compiler sees the whole chain.

use super::{Case, TEXT, calls, direct};

type Outcome = Result<String, serde_json::Error>;

trait Next: Copy {
    async fn run(self, args: &str) -> Outcome;
}

#[derive(Clone, Copy)]
struct Tool;

impl Next for Tool {
    async fn run(self, args: &str) -> Outcome {
        direct::call(args).await
    }
}

#[derive(Clone, Copy)]
struct Hooked<N>(N);

impl<N: Next> Next for Hooked<N> {
    async fn run(self, args: &str) -> Outcome {
        pass(args, self.0).await
    }
}

/// A hook that only hands on.
async fn pass(args: &str, next: impl Next) -> Outcome {
    next.run(args).await
}

const THREE: Hooked<Hooked<Hooked<Tool>>> = Hooked(Hooked(Hooked(Tool)));
const EIGHT: Hooked<Hooked<Hooked<Hooked<Hooked<Hooked<Hooked<Hooked<Tool>>>>>>>> =
    Hooked(Hooked(Hooked(Hooked(Hooked(THREE)))));

pub(crate) fn cases() -> Vec<Case> {
    vec![
        calls!("by_hand_3", "3 hooks nested by hand", THREE.run(std::hint::black_box(TEXT))),
        calls!("by_hand_8", "8 hooks nested by hand", EIGHT.run(std::hint::black_box(TEXT))),
    ]
}
