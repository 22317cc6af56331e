use onionskin::agent;

agent!(card = "cards/pmo.md" Helper { instruction: "Help." });

fn main() {}
