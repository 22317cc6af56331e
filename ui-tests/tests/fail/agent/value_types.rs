//! Values of another type in limits and in the parameters of a request.
use onionskin::agent;

//~ a text as a number of turns
agent! { Helper { instruction: "Help.", limits: { turns: "three" } } }

//~ a text as a time
agent! { LimitTypes { instruction: "Help.", limits: { time_sec: "long" } } }

//~ a text as a choice of tools
agent! { Chooser { instruction: "x", request_params: { tool_choice: "required" } } }

//~ a text as a temperature
agent! { RequestParamTypes { instruction: "Help.", request_params: { temperature: "warm" } } }

//~ a whole number as a temperature
agent! { RequestParamWhole { instruction: "Help.", request_params: { temperature: 1 } } }

fn main() {}
