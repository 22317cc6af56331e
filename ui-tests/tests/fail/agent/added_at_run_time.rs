//! What builders do not take.
use onionskin::declaration::AgentDeclaration;
use onionskin::{Args, Next, State, ToolResult, agent, tool, tool_hook, toolbox};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 { x + 1 }

agent! { Helper { instruction: "Help." } }

//~ a function where a builder takes a tool
fn function_given_to_the_builder() { let _ = Helper::builder().tool(add_one); }

//~ a hook of another state
// A hook that is added at run time works on the agent's state, as a declared one does.
#[derive(Clone)]
struct Ledger;

#[derive(Clone)]
struct Diary;

#[tool_hook]
fn note(diary: State<Diary>) { drop(diary); }

agent! { Clerk { instruction: "Add.", state: Ledger } }

fn added_with_another_state() { drop(Clerk::builder().state(Ledger).hook(note::new())); }

//~ a function where a builder takes a hook
#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

fn function_for_a_hook() { let _ = Helper::builder().hook(audit); }

//~ a function where a declaration takes a tool
fn function_for_a_tool() { let _ = AgentDeclaration::new().tool(add_one); }

//~ a text where a builder takes a toolbox
struct Kb;

#[toolbox]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}
}

agent! { Librarian { instruction: "Keep notes.", toolboxes: [Kb] } }

fn provided_something_else() { let _ = Librarian::builder().toolbox("kb"); }

//~ a text that answers questions
agent! { AnswererIsNoFunction { instruction: "Serve." } }

fn answerer_is_no_function() { let _ = AnswererIsNoFunction::builder().answerer("yes"); }

//~ the name of a model where a builder takes a model
fn name_of_a_model() { let _ = Helper::builder().model("gpt-4o-mini"); }

//~ a path where a builder takes a journal
fn path_of_a_journal() { let _ = Helper::builder().journal("runs"); }

//~ a command where a builder takes a server
fn command_of_a_server() { let _ = Helper::builder().server("time", "uvx mcp-server-time"); }

//~ a path where a builder takes servers
fn path_of_servers() { let _ = Helper::builder().servers(".mcp.json"); }

fn main() {}
