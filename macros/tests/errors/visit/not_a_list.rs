use onionskin::secret::VisitSecrets;

#[derive(VisitSecrets)]
#[visit_secrets]
struct Login {
    user: String,
}

fn main() {}
