use onionskin::turn_hooks::CompletedTurn;
use onionskin::{agent, turn_hook};

#[turn_hook(after_turn_complete)]
fn note(turn: &CompletedTurn) {
    let _ = turn;
}

agent! {
    Clerk {
        instruction: "Answer.",
        turn_hooks: [note except [add_one]],
    }
}

fn main() {}
