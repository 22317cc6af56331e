use onionskin::workflow;

workflow!("tests/fail/workflow/as_an_agent");

onionskin::main!(AsAnAgent);
