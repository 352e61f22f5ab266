//! The program `game_loop`: five frames of it, and what it is said to be, sixty lines.

use std::process::{Command, Stdio};

#[test]
fn five_frames_run_to_their_end() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_game_loop"));
    let output = program.arg("5").stdin(Stdio::null()).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The score is counted in the first frame, and then once a second.
    let lines: Vec<&str> = said.lines().collect();
    assert!(matches!(lines[..], ["0 s", last] if last.starts_with("5 cycles of ")), "{said}");
}

#[test]
fn it_has_sixty_lines() {
    assert!(include_str!("../src/bin/game_loop.rs").lines().count() <= 60);
}
