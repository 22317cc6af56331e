//! A workflow folder, as the compiler reads it.
use onionskin::{RunError, workflow};
workflow!("workflows/Generator");
#[tokio::main]
async fn main() -> Result<(), RunError> {
    println!("{}", Generator::begin().await?.text);
    Ok(())
}
