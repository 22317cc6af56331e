use onionskin::toolbox;

struct Camera;

#[toolbox]
impl Camera {
    /// Takes a photo.
    #[tool(external)]
    fn photo(&self) -> String {
        String::new()
    }
}

fn main() {}
