use onionskin::workflow;

workflow!("tests/fail/workflow/another_state");

fn main() {}
