use onionskin::ui::ui_tool;

/// Shows a picture.
#[ui_tool(component = "Picture", asks)]
fn show() -> String {
    String::new()
}

fn main() {}
