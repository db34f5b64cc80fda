//! Collects what the process was given and ends with what `run` says.

fn main() -> std::process::ExitCode {
    let code = novel_gate::run(std::env::args_os().collect(), &novel_gate::Environment::of_process());
    std::process::ExitCode::from(u8::try_from(code.number()).unwrap_or(1))
}
