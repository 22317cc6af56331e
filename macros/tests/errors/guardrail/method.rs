use onionskin::{Args, guardrail};

struct Checks;

impl Checks {
    #[guardrail(input)]
    fn check(&self, args: &Args) {
        let _ = args;
    }
}

fn main() {}
