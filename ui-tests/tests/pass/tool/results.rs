use onionskin::tool;

use onionskin::{Exit, ToolOutput, ToolResult};
use onionskin::content::ContentBlock;

#[derive(serde::Serialize)]
struct NoSchema;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Report {
    lines: u8,
}

type Outcome<T> = std::result::Result<T, String>;

macro_rules! tools {
    ($($name:ident: $ty:ty = $value:expr;)*) => {
        $(
            /// Gives a result.
            #[tool]
            async fn $name() -> $ty {
                $value
            }
        )*
    };
}

tools! {
    unit: () = ();
    text: String = String::new();
    scalar: u8 = 1;
    list: Vec<Report> = vec![Report { lines: 1 }];
    report: Report = Report { lines: 1 };
    no_schema: NoSchema = NoSchema;
    option: Option<Report> = None;
    aliased: Outcome<Report> = Err(String::new());
    exit: ToolResult<Report> = Err(Exit::abort("enough"));
    io: Result<u8, std::io::Error> = Ok(1);
    boxed: Result<(), Box<dyn std::error::Error + Send + Sync>> = Ok(());
    output: ToolOutput = ToolOutput::text("");
    result: ToolResult = Ok(ToolOutput::text(""));
    blocks: Vec<ContentBlock> = Vec::new();
    json: serde_json::Value = serde_json::json!({});
    tuple: (u8, String) = (1, String::new());
}

pub(crate) fn main() {}
