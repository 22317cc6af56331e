use onionskin::toolbox;

struct Kb<T>(T);

#[toolbox]
impl<T: Send + Sync + 'static> Kb<T> {
    /// Says hello.
    #[tool]
    fn hello(&self) -> String {
        "hello".to_owned()
    }
}

fn main() {}
