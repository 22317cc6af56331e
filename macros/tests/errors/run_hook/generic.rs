use onionskin::run_hook;

#[run_hook(pre)]
fn check<T: Default>(input: &str) {
    let _ = (input, T::default());
}

fn main() {}
