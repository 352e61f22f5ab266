//! A machine with two nodes of memory, emulated: checks that buffers really lie on their owners' nodes.
//!
//! QEMU emulates two nodes of two cores (slowly: this says nothing of speed), boots a kernel of Debian's with a static
//! `weft` as its only program, and asks it where its pages are.

mod archive;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use archive::Archive;

const NEEDED: &str = "apt-get install qemu-system-x86 dpkg; and apt-get must be able to download packages";
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// What the emulated machine may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// What runs in the emulated machine. Sections of its output begin with `@@`.
const INIT: &str = "#!/busybox sh
/busybox mkdir -p /proc /sys /dev
/busybox mount -t proc proc /proc
/busybox mount -t sysfs sysfs /sys
/busybox mount -t devtmpfs dev /dev
# The kernel moves pages to whoever uses them as well: this is to show where they are put.
echo 0 > /proc/sys/kernel/numa_balancing
scene='falling --set objects=12 --threads 4'
say() {
    echo \"@@ $1\"; shift
    \"$@\" 2>/errors || { echo '@@ failed'; /busybox cat /errors; }
}
say topology /weft topology --json
say placed /weft topology --json --steps 70 --verify $scene
say left /weft topology --json --steps 70 --numa off --verify $scene
/weft run $scene --steps 140 --quiet --report /replay.json >/dev/null 2>/errors
say replay /busybox cat /replay.json
/weft run $scene --steps 140 --quiet --executor sequential --report /sequential.json >/dev/null 2>/errors
say sequential /busybox cat /sequential.json
echo '@@ end'
/busybox poweroff -f
";

/// Builds, boots and checks.
///
/// # Errors
/// Something needed is missing, or a page does not lie where it should.
pub fn run(root: &Path) -> Result<()> {
    let folder = root.join("target/numa_vm");
    std::fs::create_dir_all(&folder)?;
    let weft = build(root, &folder)?;
    let kernel = debian(&folder, "linux-image-cloud-amd64", "boot", "vmlinuz")?;
    let busybox = debian(&folder, "busybox-static", "bin", "busybox")?;
    let mut archive = Archive::default();
    archive.add("init", INIT.as_bytes());
    archive.add("weft", &std::fs::read(weft)?);
    archive.add("busybox", &std::fs::read(busybox)?);
    let files = folder.join("files.cpio");
    std::fs::write(&files, archive.finish())?;
    let output = boot(&folder, &kernel, &files)?;
    check(&output).with_context(|| format!("the machine said:\n{output}"))
}

/// A static `weft`, since the emulated machine has no libraries.
fn build(root: &Path, folder: &Path) -> Result<PathBuf> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root)
        .args(["build", "--package", "weft", "--locked", "--target", TARGET, "--target-dir"])
        .arg(folder)
        .env("RUSTFLAGS", "-C target-feature=+crt-static -C strip=symbols")
        .status()
        .context("cargo build")?;
    ensure!(status.success(), "cargo build: {status}");
    Ok(folder.join(TARGET).join("debug/weft"))
}

/// A file out of a package of Debian's, which is downloaded once and not installed.
fn debian(folder: &Path, package: &str, below: &str, name: &str) -> Result<PathBuf> {
    let unpacked = folder.join(package);
    let found = || -> Option<PathBuf> {
        let entries = std::fs::read_dir(unpacked.join(below)).ok()?;
        let is_it =
            |path: &PathBuf| path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(name));
        entries.filter_map(|e| Some(e.ok()?.path())).find(is_it)
    };
    if found().is_none() {
        std::fs::create_dir_all(&unpacked)?;
        // A package may only name the one with the files, such as the newest kernel.
        let script = format!(
            "cd '{}' && real=$(apt-cache depends --important {package} | sed -n 's/.*Depends: *\\(linux-image-.*\\)/\\1/p' \
             | head -n 1) && apt-get download ${{real:-{package}}} && for d in *.deb; do dpkg-deb -x \"$d\" .; done",
            unpacked.display()
        );
        let status = Command::new("sh").args(["-c", &script]).status().context(NEEDED)?;
        ensure!(status.success(), "{package}: {status} ({NEEDED})");
    }
    found().with_context(|| format!("{package} has no {below}/{name}*"))
}

/// Boots the machine and returns what it printed.
fn boot(folder: &Path, kernel: &Path, files: &Path) -> Result<String> {
    let console = folder.join("console.txt");
    let mut command = Command::new("qemu-system-x86_64");
    command.args(["-accel", "tcg", "-smp", "4", "-m", "2048", "-display", "none", "-no-reboot"]);
    for node in 0..2 {
        let cpus = format!("{}-{}", 2 * node, 2 * node + 1);
        command.args(["-object", &format!("memory-backend-ram,size=1024M,id=memory{node}")]);
        command.args(["-numa", &format!("node,nodeid={node},cpus={cpus},memdev=memory{node}")]);
    }
    command.args(["-numa", "dist,src=0,dst=1,val=21", "-append", "console=ttyS0 quiet loglevel=1 panic=-1"]);
    command.arg("-serial").arg(format!("file:{}", console.display()));
    command.arg("-kernel").arg(kernel).arg("-initrd").arg(files).stdin(Stdio::null());
    let mut machine = command.spawn().with_context(|| format!("qemu-system-x86_64 ({NEEDED})"))?;
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = machine.try_wait()? {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            machine.kill()?;
            machine.wait()?;
            let so_far = std::fs::read(&console).unwrap_or_default();
            bail!("not done in {PATIENCE:?}; so far:\n{}", String::from_utf8_lossy(&so_far));
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    ensure!(status.success(), "qemu: {status}");
    println!("the machine ran for {:.0} s", begin.elapsed().as_secs_f64());
    Ok(String::from_utf8_lossy(&std::fs::read(&console)?).replace('\r', ""))
}

/// Checks what the machine printed.
fn check(output: &str) -> Result<()> {
    let topology = section(output, "topology")?;
    ensure!(topology["nodes"].as_array().map(Vec::len) == Some(2), "two nodes are to be seen");
    ensure!(topology["distances"] == serde_json::json!([[10, 21], [21, 10]]), "their distances");

    let (there, elsewhere, nodes) = pages(&section(output, "placed")?)?;
    println!("placed: {there} pages on their workers' nodes, {elsewhere} elsewhere");
    ensure!(nodes == [0, 1], "objects are to be on both nodes, not {nodes:?}");
    ensure!(there > 0 && elsewhere == 0, "every page is to lie on its worker's node");

    // Without placement pages do lie elsewhere: the check above can fail.
    let (there, elsewhere, _) = pages(&section(output, "left")?)?;
    println!("left where they are: {there} pages on their workers' nodes, {elsewhere} elsewhere");
    ensure!(elsewhere > 0, "without placement some pages are to lie elsewhere");

    let hash = |name: &str| Ok::<_, anyhow::Error>(section(output, name)?["state_hash"].clone());
    let (replay, sequential) = (hash("replay")?, hash("sequential")?);
    println!("state: {replay}");
    ensure!(replay.is_string() && replay == sequential, "the states differ: {replay} and {sequential}");
    Ok(())
}

/// The JSON object that follows a line `@@ name`.
fn section(output: &str, name: &str) -> Result<Value> {
    let behind =
        output.split(&format!("@@ {name}\n")).nth(1).with_context(|| format!("no section {name}"))?;
    let text = behind.split("@@ ").next().unwrap_or_default();
    let begin = text.find('{').with_context(|| format!("{name}: {text}"))?;
    serde_json::Deserializer::from_str(&text[begin..])
        .into_iter()
        .next()
        .with_context(|| format!("{name}: nothing"))?
        .with_context(|| format!("{name}: {text}"))
}

/// Pages on the node of their object's worker, pages elsewhere, the nodes of all workers that own objects.
fn pages(json: &Value) -> Result<(u64, u64, Vec<u64>)> {
    let objects = json["objects"].as_array().context("objects")?;
    let sum = |name: &str| objects.iter().filter_map(|o| o[name].as_u64()).sum();
    let mut nodes: Vec<u64> = objects.iter().filter_map(|o| o["node"].as_u64()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    Ok((sum("there"), sum("elsewhere"), nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(elsewhere: u32, hash: &str) -> String {
        format!(
            "noise\n@@ topology\n{{\"nodes\": [1, 2], \"distances\": [[10, 21], [21, 10]]}}\n\
             @@ placed\n{{\"objects\": [{{\"node\": 0, \"there\": 3, \"elsewhere\": {elsewhere}}}, {{\"node\": 1}}]}}\n\
             @@ left\n{{\"objects\": [{{\"node\": 1, \"there\": 0, \"elsewhere\": 2}}]}}\n\
             @@ replay\n{{\"state_hash\": \"a\"}}\n@@ sequential\n{{\"state_hash\": \"{hash}\"}}\n@@ end\n"
        )
    }

    #[test]
    fn pages_elsewhere_and_other_states_are_found() {
        assert!(check(&output(0, "a")).is_ok());
        assert!(check(&output(1, "a")).is_err());
        assert!(check(&output(0, "b")).is_err());
        assert!(check("@@ end\n").is_err());
    }
}
