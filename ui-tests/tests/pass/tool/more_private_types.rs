//! Public tools, hooks and guardrails of private types: rustc only warns of such a function, and the case allows that.
#![deny(warnings)]

#[allow(private_interfaces)]
mod tools {
    use onionskin::{Args, Next, State, ToolResult, guardrail, tool, tool_hook, toolbox};

    #[derive(Clone, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Report {
        lines: u8,
    }

    #[derive(Clone, Default)]
    pub struct Ledger {
        entry: Entry,
    }

    #[derive(Clone, Default)]
    struct Entry;

    #[derive(Clone)]
    struct Own;

    /// Gives one.
    #[tool]
    pub fn result() -> Report {
        Report { lines: 1 }
    }

    /// Takes one.
    #[tool]
    pub async fn parameter(report: Report) -> Result<Vec<Report>, String> {
        Ok(vec![report])
    }

    /// Borrows one.
    #[tool]
    pub(crate) fn borrowed(report: &Report) -> u8 {
        report.lines
    }

    /// Runs on a thread.
    #[tool(blocking)]
    pub fn on_a_thread(report: Report) -> Report {
        report
    }

    /// Works on a state.
    #[tool]
    pub fn state(state: State<Own>) {
        let Own = *state;
    }

    /// Is filled from a state.
    #[tool(state = Ledger)]
    pub fn bound(#[bind(entry)] entry: Entry, #[bind("report")] report: Report) -> u8 {
        let Entry = entry;
        report.lines
    }

    /// Works on a state, in layers.
    #[tool(hooks = [audit(Entry)], input_guardrails = [check(Entry)], cache)]
    pub fn layered(state: State<Own>) -> Report {
        let Own = *state;
        Report { lines: 2 }
    }

    #[tool_hook]
    pub async fn audit(#[config] entry: Entry, args: &mut Args, next: impl Next) -> ToolResult {
        let Entry = entry;
        next.run(args).await
    }

    #[tool_hook]
    pub fn looks_at_the_state(state: State<Own>) {
        let Own = *state;
    }

    #[guardrail(input)]
    pub fn check(#[config] entry: Entry, args: &Args) {
        let _ = (entry, args);
    }

    pub struct Shop {
        pub open: bool,
    }

    #[toolbox]
    impl Shop {
        /// Sells one.
        #[tool]
        pub fn sell(&self, report: Report) -> Report {
            report
        }

        /// Buys one.
        #[tool(cache)]
        fn buy(&self, report: Report) -> bool {
            self.open && report.lines == 0
        }
    }

    /// A type that only this module sees.
    pub fn private_toolbox_size() -> usize {
        struct Cellar;

        #[toolbox]
        impl Cellar {
            /// Fetches.
            #[tool(cache)]
            fn fetch(&self, state: State<Own>) -> Report {
                let Own = *state;
                Report::default()
            }
        }

        Cellar.tools().len()
    }
}

mod agents {
    use onionskin::agent;

    use super::tools::{Ledger, borrowed, bound, on_a_thread, parameter, result};

    agent! {
        pub Helper {
            instruction: "Help.",
            state: Ledger,
            function_tools: [result, parameter, borrowed, on_a_thread, bound],
        }
    }
}

pub(crate) fn main() {
    let _ = agents::Helper::builder();
    assert_eq!(tools::private_toolbox_size(), 1);
    let _ = (tools::state::spec(), tools::layered::spec(), tools::looks_at_the_state::new());
    let shop = std::sync::Arc::new(tools::Shop { open: true });
    assert_eq!(shop.tools().len(), 2);
}
