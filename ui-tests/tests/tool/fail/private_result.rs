// rustc warns of the function as such; that the type is private is an error in what typed hooks see.
mod tools {
    #[derive(serde::Serialize)]
    struct Report;

    /// Reports.
    #[onionskin::tool]
    pub fn report() -> Report {
        Report
    }
}

fn main() {}
