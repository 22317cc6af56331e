use onionskin::turn_hook;

#[turn_hook(after_turn_complete)]
struct Desk;

fn main() {}
