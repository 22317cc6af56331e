use onionskin::run_hook;

struct Desk;

impl Desk {
    #[run_hook(pre)]
    fn check(&self, input: &str) {
        let _ = input;
    }
}

fn main() {}
