//! Collects what the process was given and ends with what `run` says.

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let code = novel_gate::run(&arguments, &novel_gate::Environment::of_process());
    std::process::ExitCode::from(u8::try_from(code.number()).unwrap_or(1))
}
