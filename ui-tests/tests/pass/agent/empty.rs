//! An invocation without agents, and the least agent there is.
use onionskin::agent;

agent! {}
agent! { Least { instruction: "" } }

pub(crate) fn main() {
    let _ = Least::builder();
}
