use onionskin::tool;

/// Reads memory.
#[tool]
unsafe fn read(address: usize) -> u8 {
    address as u8
}

fn main() {}
