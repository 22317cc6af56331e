use onionskin::agent;

agent! { Helper { instruction: "Help." } }

struct Other;

onionskin::main!(Helper, Other);
