//! The table of the seed (`System Prompt` of Agno), row by row: each row is a field of agents, or comes from the model or the
//! tools, is on or off as in the table, and has its place.

use std::borrow::Cow;

use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::{AgentHandle, RunContext, ScriptedModel, agent, tool};

/// A model with texts of its own, and without schemas of answers.
struct Opinionated;

impl Model for Opinionated {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        Ok(ModelResponse::text("Yes."))
    }

    fn instructions(&self) -> Option<Cow<'static, str>> {
        Some("[the model's instructions]".into())
    }

    fn system_message(&self) -> Option<Cow<'static, str>> {
        Some("[the model's system message]".into())
    }
}

/// Advises.
#[tool(instructions = "[a tool's instructions]")]
fn advise() -> &'static str {
    "no"
}

/// The answer.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Report {
    /// [a field of the answer]
    text: String,
}

agent! {
    /// Each row at once, except that 3.3.15 and 3.3.16 exclude each other, and the first row all others.
    Everything {
        name: "everything",
        description: "[description]",
        role: "[role]",
        instruction: "[instructions for {session_state.guest}]",
        markdown: true,
        add_datetime_to_context: true,
        add_location_to_context: true,
        add_name_to_context: true,
        function_tools: [advise],
        expected_output: "[expected output]",
        additional_context: "[additional context]",
        add_memories_to_context: true,
        add_culture_to_context: true,
        add_session_summary_to_context: true,
        add_learnings_to_context: true,
        search_knowledge: true,
        output: Report,
        parser_model: "small",
        prompt_order: standard,
        add_session_state_to_context: true,
    }
    /// Row 3.3.15.
    Typed { instruction: "Answer.", output: Report }
    /// Row 1.
    Replaced { system_message: "[system message]", function_tools: [advise] }
    /// Nothing but the defaults.
    Plain { instruction: "Answer.", function_tools: [advise] }
}

/// A row: its number, its setting in the seed, its part, whether it is on by default, and what the prompt then has.
type Row = (&'static str, &'static str, PromptPart, bool, &'static str);

/// The rows in the order of the prompt. In the seed, the instructions and what 3.2 collects are numbered before the parts that they
/// are written behind, and 3.3.3, 3.3.4 and 3.3.6 (`fmt`) say how they are written.
const ROWS: [Row; 20] = [
    ("3.3.1", "description", PromptPart::Description, true, "[description]"),
    ("3.3.2", "role", PromptPart::Role, true, "<your_role>\n[role]\n</your_role>"),
    ("3.1, 3.3.3, fmt", "instructions", PromptPart::Instructions, true, "[instructions for Ada]"),
    (
        "3.1.1",
        "get_instructions_for_model",
        PromptPart::ModelInstructions,
        true,
        "[the model's instructions]",
    ),
    (
        "3.2.1, 3.3.4",
        "markdown",
        PromptPart::Markdown,
        false,
        "<additional_information>\n- Use Markdown to format your answers.",
    ),
    ("3.2.2", "add_datetime_to_context", PromptPart::DateTime, false, "- The current time is 2"),
    ("3.2.3", "add_location_to_context", PromptPart::Location, false, "- The user's location is Rome."),
    ("3.2.4", "add_name_to_context", PromptPart::Name, false, "- Your name is everything."),
    ("3.3.5", "_tool_instructions", PromptPart::ToolInstructions, true, "[a tool's instructions]"),
    ("3.3.7", "expected_output", PromptPart::ExpectedOutput, true, "<expected_output>\n[expected output]"),
    ("3.3.8", "additional_context", PromptPart::AdditionalContext, true, "[additional context]"),
    ("3.3.9", "add_memories_to_context", PromptPart::Memories, false, "<memories>\n[Memories]\n</memories>"),
    ("3.3.10", "add_culture_to_context", PromptPart::Culture, false, "<culture>\n[Culture]\n</culture>"),
    (
        "3.3.11",
        "add_session_summary_to_context",
        PromptPart::SessionSummary,
        false,
        "<session_summary>\n[SessionSummary]\n</session_summary>",
    ),
    (
        "3.3.12",
        "add_learnings_to_context",
        PromptPart::Learnings,
        false,
        "<learnings>\n[Learnings]\n</learnings>",
    ),
    ("3.3.13", "search_knowledge", PromptPart::Knowledge, false, "<knowledge>\n[Knowledge]\n</knowledge>"),
    (
        "3.3.14",
        "get_system_message_for_model",
        PromptPart::ModelSystemMessage,
        true,
        "[the model's system message]",
    ),
    ("3.3.15", "output_schema", PromptPart::OutputSchema, true, "<output_schema>"),
    ("3.3.16", "parser_model", PromptPart::ParsedValues, true, "- text: [a field of the answer]"),
    ("3.3.17", "add_session_state_to_context", PromptPart::SessionState, false, "<session_state>\n{\n"),
];

/// The sources of the program for the parts that have no text of the runtime.
fn sources() -> Prompt {
    let parts = [
        PromptPart::Memories,
        PromptPart::Culture,
        PromptPart::SessionSummary,
        PromptPart::Learnings,
        PromptPart::Knowledge,
    ];
    let all = Prompt::new().text(PromptPart::Location, "Rome");
    parts.into_iter().fold(all, |all, part| all.source(part, move |_: &RunContext| format!("[{part}]")))
}

async fn prompt_of(agent: &AgentHandle, prompt: Prompt) -> String {
    let session = agent.session();
    session.state().set("guest", "Ada");
    agent.request("").session(&session).prompt(prompt).system_prompt().await.unwrap().unwrap()
}

#[tokio::test]
async fn a11_each_row_of_the_seed_is_a_field_or_of_the_model_and_the_tools() {
    let everything =
        Everything::builder().model(Opinionated).parser_model(ScriptedModel::new()).prompt(sources());
    let everything = everything.build().await.unwrap();
    let typed = Typed::builder().model(Opinionated).build().await.unwrap();
    let plain = Plain::builder().model(Opinionated).build().await.unwrap();
    let whole = prompt_of(&everything, Prompt::new()).await;
    let of_typed = prompt_of(&typed, Prompt::new()).await;
    let defaults = prompt_of(&plain, Prompt::new()).await;
    let mut last = 0;
    for (row, setting, part, is_on, text) in ROWS {
        // The JSON output prompt is for an agent without a parser.
        if part == PromptPart::OutputSchema {
            assert!(of_typed.contains(text) && !whole.contains(text), "{row} {setting}: {of_typed}");
            assert!(
                !prompt_of(&typed, Prompt::new().leave_out(part)).await.contains(text),
                "{row} {setting}"
            );
            continue;
        }
        let place = whole.find(text).unwrap_or_else(|| panic!("{row} {setting} is missing: {whole}"));
        assert!(place >= last, "{row} {setting} is before the row above it: {whole}");
        last = place;
        let without = prompt_of(&everything, Prompt::new().leave_out(part)).await;
        assert!(!without.contains(text), "{row} {setting} cannot be left out: {without}");
        if !is_on {
            assert!(!defaults.contains(text), "{row} {setting} is on by default: {defaults}");
        }
    }
    assert_eq!(
        defaults,
        "Answer.\n\n[the model's instructions]\n\n[a tool's instructions]\n\n[the model's system message]"
    );
}

#[tokio::test]
async fn a11_the_first_row_of_the_seed_replaces_all_others() {
    let replaced = Replaced::builder().model(Opinionated).build().await.unwrap();
    assert_eq!(prompt_of(&replaced, Prompt::new()).await, "[system message]");
}
