use onionskin::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum State {
    Open,
    Closed,
}

/// Lists issues.
#[tool]
async fn issues(state: State) -> bool {
    matches!(state, State::Open | State::Closed)
}

fn main() {}
