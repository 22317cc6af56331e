use onionskin::tool;

struct Report;

/// Reports.
#[tool]
async fn report() -> Result<Report, String> {
    Ok(Report)
}

fn main() {}
