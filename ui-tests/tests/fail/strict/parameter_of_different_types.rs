/// Takes.
#[onionskin::tool(strict)]
fn take(pair: (u8, String)) -> usize {
    pair.1.len()
}

fn main() {}
