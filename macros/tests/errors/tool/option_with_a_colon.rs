use onionskin::tool;

/// D.
#[tool(name: "buy_one")]
fn buy(x: u8) -> u8 {
    x
}

fn main() {}
