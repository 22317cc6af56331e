use onionskin::agent;

agent! { Helper { instruction: "Help." } }

onionskin::main!(Helper, model = "small");
