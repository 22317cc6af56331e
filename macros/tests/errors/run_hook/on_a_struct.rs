use onionskin::run_hook;

#[run_hook(pre)]
struct Desk;

fn main() {}
