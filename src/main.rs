//! Gives the arguments and the environment of the process to the library, and ends with its exit code.

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let code = novel_gate::run(&arguments, &novel_gate::Environment::of_process());
    std::process::ExitCode::from(u8::try_from(code.number()).unwrap_or(1))
}
