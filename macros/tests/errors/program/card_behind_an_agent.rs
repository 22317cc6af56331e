use onionskin::agent;

agent! { Helper { instruction: "Help." } }

onionskin::main!(Helper, card = ["cards/a.md", "cards/b.md"]);
