use onionskin::tool;

/// Gone.
#[tool]
#[cfg(any())]
fn gone(x: Gone) {}

/// Here.
#[cfg(all())]
#[tool]
fn here(
    #[cfg(any())] gone: Gone,
    #[cfg(all())] here: u8,
    #[cfg(not(any()))]
    #[arg(default = 5)]
    there: u8,
) -> u8 {
    here + there
}

fn main() {
    let _ = here::default();
}
