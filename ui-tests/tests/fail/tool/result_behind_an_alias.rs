use onionskin::tool;

struct Report;

type Reports = Result<Report, String>;

/// Reports.
#[tool(blocking)]
fn report(lines: &str) -> Reports {
    Err(lines.to_owned())
}

fn main() {}
