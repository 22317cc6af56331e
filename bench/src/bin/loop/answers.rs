//! What the fake models answer, the same in every loop.

/// A number of turns with a number of calls each, then a turn that answers.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) turns: usize,
    pub(crate) calls: usize,
    /// Whether the model yields to other runs before it answers.
    pub(crate) yields: bool,
}

/// What the agent is asked.
pub(crate) const INPUT: &str = "Add up.";

/// What it answers.
pub(crate) const ANSWER: &str = "It is 42.";

/// The tool's name.
pub(crate) const TOOL: &str = "add_one";

/// The arguments of every call.
pub(crate) const ARGUMENTS: &str = r#"{"x":41}"#;

/// The tool's function.
pub(crate) async fn add_one(x: i64) -> i64 {
    x + 1
}

/// The ids of the calls of all turns.
pub(crate) struct Ids(Vec<Vec<String>>);

impl Ids {
    pub(crate) fn new(shape: Shape) -> Self {
        let turn = |turn| (0..shape.calls).map(|call| format!("call_{turn}_{call}")).collect();
        Self((0..shape.turns).map(turn).collect())
    }

    /// The ids of the calls of a turn; none in the last one.
    pub(crate) fn turn(&self, turn: usize) -> Option<&[String]> {
        self.0.get(turn).map(Vec::as_slice)
    }
}

/// Waits as a model does.
pub(crate) async fn think(shape: Shape) {
    if shape.yields {
        tokio::task::yield_now().await;
    }
}
