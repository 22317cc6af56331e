use onionskin::toolbox;

struct Pictures;

#[toolbox]
impl Pictures {
    /// Shows a picture.
    #[ui_tool]
    fn show(&self) -> String {
        String::new()
    }
}

fn main() {}
