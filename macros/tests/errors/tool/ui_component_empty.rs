use onionskin::ui::ui_tool;

/// Takes a photo.
#[ui_tool(component = " ")]
fn photo() -> String {
    String::new()
}

fn main() {}
