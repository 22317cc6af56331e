use onionskin::loader::Registry;


fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.run_hook_with("check", |(most,): (u32,)| most));
}
