use onionskin::agent;

agent! {
    Helper
}

fn main() {}
