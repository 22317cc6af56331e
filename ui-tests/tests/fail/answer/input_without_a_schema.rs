use onionskin::agent;

#[derive(serde::Deserialize)]
struct Question {
    topic: String,
}

agent! {
    Researcher { instruction: "Search.", input: Question }
}

fn main() {}
