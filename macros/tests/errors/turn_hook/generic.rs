use onionskin::turn_hooks::CompletedTurn;
use onionskin::turn_hook;

#[turn_hook(after_turn_complete)]
fn trim<T: Default>(turn: &CompletedTurn) {
    let _ = (turn, T::default());
}

fn main() {}
