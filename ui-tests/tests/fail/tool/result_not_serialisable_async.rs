use onionskin::tool;

struct Report;

/// Reports.
#[tool]
async fn report() -> Report {
    Report
}

fn main() {}
