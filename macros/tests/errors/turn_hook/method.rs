use onionskin::turn_hooks::CompletedTurn;
use onionskin::turn_hook;

struct Desk;

impl Desk {
    #[turn_hook(after_turn_complete)]
    fn trim(&self, turn: &CompletedTurn) {
        let _ = turn;
    }
}

fn main() {}
