use onionskin::agent;

agent! { Helper { instruction: "Help." } }

onionskin::main!(Helper, registry: onionskin::loader::Registry::new());
