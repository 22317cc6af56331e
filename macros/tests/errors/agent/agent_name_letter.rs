use onionskin::agent;

agent! {
    Helper { name: "hélper", instruction: "Help." }
}

fn main() {}
