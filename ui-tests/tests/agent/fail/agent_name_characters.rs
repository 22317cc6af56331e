use onionskin::agent;

agent! {
    Helper { name: "hélper", instruction: "Help." }
    Other { name: "a/b", instruction: "Help." }
    Empty { name: "", instruction: "Help." }
}

fn main() {}
