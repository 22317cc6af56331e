use onionskin::secret::VisitSecrets;

#[derive(VisitSecrets)]
#[visit_secrets(crate = "onionskin")]
struct Login {
    user: String,
}

fn main() {}
