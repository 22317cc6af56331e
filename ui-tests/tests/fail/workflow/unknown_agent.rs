use onionskin::workflow;

workflow!("tests/fail/workflow/unknown_agent");

fn main() {
    let _ = UnknownAgent::builder().agent::<Writer>();
}
