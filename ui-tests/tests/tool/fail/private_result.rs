mod tools {
    #[derive(serde::Serialize)]
    struct Report;

    /// Reports.
    #[onionskin::tool]
    pub fn report() -> Report {
        Report
    }
}

fn main() {
    tools::report();
}
