use onionskin::loader::Registry;


fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.text("greeting", 3));
}
