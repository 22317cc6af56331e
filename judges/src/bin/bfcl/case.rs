//! The messages between the judge and this program.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A case: tools, and what a model does with them.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) tools: Vec<Described>,
    pub(crate) turns: Vec<Turn>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
}

/// An input and the calls that it leads to.
#[derive(Debug, Deserialize)]
pub(crate) struct Turn {
    pub(crate) input: String,
    /// The tools that the server offers from now on.
    pub(crate) new_tools: Vec<Described>,
    /// The calls of each answer of the model.
    pub(crate) answers: Vec<Vec<Call>>,
}

/// A call.
#[derive(Debug, Deserialize)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

/// What the judge reads.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Report {
    /// A call that the judge executes. It answers with a [`Reply`].
    Call { tool: String, arguments: Map<String, Value> },
    /// The end of a turn, with the results that the model got.
    Turn(Vec<Shown>),
    /// The case cannot be run.
    Failed(String),
}

/// The result of a call, from the judge.
#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    pub(crate) text: String,
}

/// The result of a call, as the model got it.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}
