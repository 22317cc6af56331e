mod cases;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let cases = cases::all();
    let c = cases.iter().find(|c| c.name == args[1]).unwrap();
    let rt = tokio::runtime::Builder::new_current_thread().build().unwrap();
    rt.block_on((c.run)(args[2].parse().unwrap()));
    println!("{}", c.about);
}
