//! S1: the source of a toolbox's methods.

use std::sync::Arc;

use onionskin::{DynTool, ToolSpec, Toolbox, toolbox};

struct Notes;

#[toolbox(parts = [Admin])]
impl Notes {
    /// Finds notes.
    ///
    /// Words, not sentences.
    #[tool(name = "find")]
    #[inline]
    pub(crate) async fn search(
        &self,
        /// What to look for.
        word: &str,
        #[arg(default = 10)] limit: usize,
    ) -> Vec<String> {
        // A comment of the author's.
        let note = word.to_owned();
        std::iter::repeat_n(note, limit).collect()
    }

    #[cfg(any())]
    /// Not there.
    #[tool]
    fn absent(&self) -> Absent {}

    /// Adds two numbers.
    #[tool]
    fn sum(a: i64, b: i64) -> i64 {
        a + b
    }
}

#[toolbox(part = Admin)]
impl Notes {
    /// Forgets everything.
    #[tool(stop_after)]
    fn clear(&self) {}
}

#[test]
fn s1_code_of_a_method_is_the_method_as_it_was_written() {
    let tools = ToolSpec::from_toolbox(Notes);
    let expected = "\
/// Finds notes.
///
/// Words, not sentences.
#[inline]
pub(crate) async fn search(
    &self,
    /// What to look for.
    word: &str,
    #[arg(default = 10)] limit: usize,
) -> Vec<String> {
    // A comment of the author's.
    let note = word.to_owned();
    std::iter::repeat_n(note, limit).collect()
}";
    assert_eq!(tools["find"].code(), expected);
    assert_eq!(tools["sum"].code(), "/// Adds two numbers.\nfn sum(a: i64, b: i64) -> i64 {\n    a + b\n}");
    assert_eq!(tools["clear"].code(), "/// Forgets everything.\nfn clear(&self) {}");
    assert_eq!(tools.len(), 3);
    assert_eq!(tools["sum"].clone().code(), Arc::new(Notes).tools()["sum"].code());
}

macro_rules! made {
    ($name:ident, $answer:expr) => {
        struct Made;

        #[toolbox]
        impl Made {
            /// Made by a macro.
            #[tool]
            fn $name(&self) -> i32 {
                $answer
            }
        }
    };
}

made!(answer, 40 + 2);

#[test]
fn s1_code_of_a_method_of_another_macro_is_what_it_became() {
    let code = ToolSpec::from_toolbox(Made)["answer"].code();
    assert!(!code.contains('$'), "{code}");
    assert!(code.contains("fn answer") && code.contains("40 + 2"), "{code}");
}

/// A toolbox that was written by hand.
struct ByHand;

impl Toolbox for ByHand {
    const NAME: &'static str = "ByHand";
    const TOOLS: &'static [&'static [&'static str]] = <Made as Toolbox>::TOOLS;
    type State = ();

    fn bound(_: &Arc<Self>) -> Vec<Arc<dyn DynTool>> {
        Made::bound(&Arc::new(Made))
    }
}

#[test]
fn s1_a_method_without_source_shows_a_stub() {
    let code = ToolSpec::from_toolbox(ByHand)["answer"].code();
    assert_eq!(code, "/// Made by a macro.\nasync fn answer() -> i64;");
}
