use onionskin::ui::ui_tool;

/// Takes a photo.
#[ui_tool(component = "Camera", mode = "inline")]
fn photo() -> String {
    String::new()
}

fn main() {}
