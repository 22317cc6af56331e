//! The choice of tools in one turn.

use crate::turn_hook::TurnRequest;
use onionskin_macros::turn_hook;
use onionskin_tools::model::ToolChoice;

/// Sets, for one turn of each run, whether the model may, must or must not call tools. Turns are counted from
/// 1; 0 is the same as 1. If the model does not support this, the run ends with
/// [`RunError::Model`](crate::RunError::Model).
///
/// ```
/// use onionskin::model::ToolChoice;
/// use onionskin::{agent, turn_hooks};
///
/// agent! { Clerk { instruction: "Answer.", turn_hooks: [turn_hooks::choose_tool(2, ToolChoice::None)] } }
/// ```
#[turn_hook(before_llm_call)]
pub fn choose_tool(#[config] turn: u32, #[config] choice: ToolChoice, request: &mut TurnRequest) {
    if request.turn() == turn.max(1) {
        request.params_mut().tool_choice = choice;
    }
}
