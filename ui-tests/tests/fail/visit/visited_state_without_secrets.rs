use onionskin::declaration::AgentDeclaration;
use onionskin::{Agent, Secret};

#[derive(Clone)]
struct Config {
    key: Secret<String>,
}

struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "by_hand";
    type State = Config;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().visit_state::<Config>()
    }
}

fn main() {}
