// If it were an `Error`, `?` would turn it into a tool error, and a retry would swallow it.
use onionskin::Abort;

fn is_error<T: std::error::Error>() {}

fn main() {
    is_error::<Abort>();
}
