//! What becomes of fast-agent's types of agents, of parameters and of placeholders.

use onionskin_vocabulary::agent::{Limit, RequestParam};

/// A kind of agent of fast-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// A model with tools.
    Plain,
    Chain,
    Parallel,
    Router,
    Planner,
    Refine,
    /// It is refused.
    Refused,
}

/// The types of fast-agent, and what each is here.
pub(super) const TYPES: &[(&str, Flow, &str)] = &[
    ("agent", Flow::Plain, "an agent"),
    ("basic", Flow::Plain, "an agent"),
    ("smart", Flow::Plain, "an agent; it makes no agents of its own"),
    ("chain", Flow::Chain, "an agent with `agents`, whose text says their order: a model follows it"),
    (
        "parallel",
        Flow::Parallel,
        "an agent with `agents`, whose text says to call them at once: a model follows it",
    ),
    ("router", Flow::Router, "an agent with `agents`, whose text says to choose one"),
    ("orchestrator", Flow::Planner, "an agent with `agents`, whose text says to plan"),
    ("iterative_planner", Flow::Planner, "an agent with `agents`, whose text says to plan"),
    (
        "evaluator_optimizer",
        Flow::Refine,
        "an agent with `agents`, whose text says when to repeat: a model follows it",
    ),
    ("MAKER", Flow::Refused, "refused: no model counts votes reliably"),
    ("a2a", Flow::Refused, "refused: its agent is a program elsewhere"),
    ("custom", Flow::Refused, "refused: its agent is a program in Python"),
];

/// Where a parameter of a request belongs.
#[derive(Clone, Copy)]
pub(super) enum ParamPlace {
    Param(RequestParam),
    Limit(Limit),
}

/// The parameters of fast-agent that cards have.
pub(super) const PARAMS: &[(&str, ParamPlace)] = &[
    ("temperature", ParamPlace::Param(RequestParam::Temperature)),
    ("top_p", ParamPlace::Param(RequestParam::TopP)),
    ("maxTokens", ParamPlace::Param(RequestParam::MaxTokens)),
    ("max_tokens", ParamPlace::Param(RequestParam::MaxTokens)),
    ("seed", ParamPlace::Param(RequestParam::Seed)),
    ("stopSequences", ParamPlace::Param(RequestParam::StopSequences)),
    ("stop_sequences", ParamPlace::Param(RequestParam::StopSequences)),
    ("max_iterations", ParamPlace::Limit(Limit::Turns)),
    ("streaming_timeout", ParamPlace::Limit(Limit::ModelTimeout)),
];

/// What stands in place of a placeholder of fast-agent.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// The date of a run.
    Date,
    /// The agent's name.
    Name,
    /// The names of its agents.
    Agents,
    /// The text of a file.
    File,
    /// Nothing, and the card says it elsewhere.
    Gone,
    /// Nothing.
    Left,
}

const FILE: &str = "left out: write the text of the file in the card, or let the agent read it";

/// The placeholders of fast-agent, `{{name}}` and `{{name:..}}`, and what becomes of them.
pub(super) const PLACES: &[(&str, Place, &str)] = &[
    ("currentDate", Place::Date, "`add_datetime_to_context: true`"),
    ("agentName", Place::Name, "the name"),
    ("agents", Place::Agents, "the names of the agents"),
    ("agentSkills", Place::Gone, "left out: with `runtime: [skills.read]`, the prompt has the skills"),
    ("serverInstructions", Place::Left, "left out: the texts of servers are not part of prompts"),
    ("file", Place::File, FILE),
    ("file_silent", Place::File, FILE),
    ("url", Place::Left, "left out: write the text of the page in the card"),
    ("internal", Place::Left, "left out: the text is a part of fast-agent"),
    ("agentInternalResources", Place::Left, "left out: the text is a part of fast-agent"),
    ("env", Place::Left, "left out: write what the agent should know of its environment"),
    ("workspaceRoot", Place::Left, "left out: paths begin at the folder of `--root`"),
    ("hostPlatform", Place::Left, "left out: write it in the card"),
    ("pythonVer", Place::Left, "left out: write it in the card"),
    ("agentType", Place::Left, "left out: write it in the card"),
    ("environmentDir", Place::Left, "left out: write it in the card"),
    ("environmentAgentCardsDir", Place::Left, "left out: write it in the card"),
    ("environmentToolCardsDir", Place::Left, "left out: write it in the card"),
    ("agentCardPath", Place::Left, "left out: write it in the card"),
    ("agentCardDir", Place::Left, "left out: write it in the card"),
];
