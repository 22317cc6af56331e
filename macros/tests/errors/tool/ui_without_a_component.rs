use onionskin::ui::ui_tool;

/// Takes a photo.
#[ui_tool(mode = inline)]
fn photo() -> String {
    String::new()
}

fn main() {}
