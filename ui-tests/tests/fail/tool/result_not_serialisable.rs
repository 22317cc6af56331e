use onionskin::tool;

struct Report {
    lines: u32,
}

/// Reports.
#[tool]
fn report(lines: u32) -> Report {
    Report { lines }
}

fn main() {
    println!("{}", report(1).lines);
}
