use onionskin::ui::ui_tool;

/// Takes a photo.
#[ui_tool(component = "Camera", tiemout = 3)]
fn photo() -> String {
    String::new()
}

fn main() {}
