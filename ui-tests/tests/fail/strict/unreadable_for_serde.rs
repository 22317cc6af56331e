// serde says itself that it cannot read its attribute; that it does is not for us to know.
use onionskin::Strict;

#[derive(serde::Deserialize, Strict)]
struct Order {
    #[serde(default 3)]
    what: u8,
}

fn main() {}
