use onionskin::agent;

agent! { Helper { instruction: "Help." } }

onionskin::main! {
    agents: [Helper],
    card: "cards",
}
