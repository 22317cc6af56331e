use onionskin::agent;

agent! { Clerk { instruction: "Serve." } }

fn main() {
    let _ = Clerk::builder().answerer("yes");
}
