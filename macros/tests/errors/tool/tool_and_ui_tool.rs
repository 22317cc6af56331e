use onionskin::tool;
use onionskin::ui::ui_tool;

/// Shows a colour.
#[tool]
#[ui_tool(component = "Colour")]
fn colour(hue: u8) -> bool {
    hue > 100
}

fn main() {}
