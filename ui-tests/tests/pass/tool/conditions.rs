use onionskin::tool;

/// Gone.
#[tool]
#[cfg(any())]
fn gone(x: Gone) {}

/// Here.
#[cfg(any(unix, not(unix)))]
#[tool]
fn here(
    #[cfg(any())] gone: Gone,
    #[cfg(any(unix, not(unix)))] here: u8,
    #[cfg(not(any()))]
    #[arg(default = 5)]
    there: u8,
) -> u8 {
    here + there
}

pub(crate) fn main() {
    let _ = here::default();
}
