use onionskin::guardrail;

#[guardrail(input)]
struct Check;

fn main() {}
