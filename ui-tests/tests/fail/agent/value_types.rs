//! Values of another type in limits and in the parameters of a request.
use onionskin::agent;

//~ limit text
agent! { Helper { instruction: "Help.", limits: { turns: "three" } } }

//~ limit types
agent! { LimitTypes { instruction: "Help.", limits: { time_sec: "long" } } }

//~ request option types
agent! { Chooser { instruction: "x", request_params: { tool_choice: "required" } } }

//~ request param types
agent! { RequestParamTypes { instruction: "Help.", request_params: { temperature: "warm" } } }

//~ request param whole
agent! { RequestParamWhole { instruction: "Help.", request_params: { temperature: 1 } } }

fn main() {}
