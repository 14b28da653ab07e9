//! What a run is made of: kernel image, a system's tables, emulator plugin, our own programs, disk image.
//!
//! Invariant: built by cargo from the sources as they are, so that nothing here can be out of date; or of a release,
//! which has no sources.
//! Not here: packages and the file system (`disk_image`).

use crate::disk_image::{self, DiskChoice, FileContent, ImageSpec, Placed};
use crate::machine_code;
use crate::system::SystemFile;
use anyhow::{Context, Result, bail};
use renga_workspace::cargo;
use renga_workspace::environment::{Environment, TARGET_RUSTFLAGS};
use renga_workspace::freshness;
use renga_workspace::lock::Lock;
use renga_workspace::prebuilt;
use renga_workspace::progress::ProgressLine;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The boards' target.
const TARGET: &str = "aarch64-unknown-none-softfloat";
/// Our own programs and where they go.
const PROGRAMS: [(&str, &str); 21] = [
    ("init", "/sbin/init"),
    ("remote", "/bin/remote"),
    ("background", "/usr/bin/background"),
    ("background", "/usr/bin/bg"),
    ("iospeed", "/usr/bin/iospeed"),
    ("renga-update", "/usr/bin/renga-update"),
    ("reclaimctl", "/usr/bin/reclaimctl"),
    ("nice", "/usr/bin/nice"),
    ("chrt", "/usr/bin/chrt"),
    ("wild", "/usr/lib/renga/wild"),
    ("limits", "/usr/lib/renga/limits"),
    ("sharing", "/usr/lib/renga/sharing"),
    ("floats", "/usr/lib/renga/floats"),
    ("nullcall", "/usr/lib/renga/nullcall"),
    ("measure", "/usr/lib/renga/measure"),
    ("linkcall", "/usr/lib/renga/linkcall"),
    ("unix", "/usr/lib/renga/unix"),
    ("nothing", "/usr/lib/renga/nothing"),
    ("p1", "/usr/lib/renga/p1"),
    ("p2", "/usr/lib/renga/p2"),
    ("p4", "/usr/lib/renga/p4"),
];
/// A Cortex-A53 executes two sequences of instructions wrongly: the compiler is to avoid the one, the linker the
/// other. Whether they did is checked (`machine_code`). And words need not be aligned: translation is on before any
/// Rust code runs, and device registers are aligned; the target's default takes a word from a message byte by byte.
const CODE_FLAGS: &str = "-Ctarget-feature=+fix-cortex-a53-835769,-strict-align -Clink-arg=--fix-cortex-a53-843419";
/// Permission bits of a program, and of its source.
const PROGRAM_MODE: u32 = 0o755;
const SOURCE_MODE: u32 = 0o644;
/// A library for dynamic programs, which its user compiles: there is no compiler for it on the host.
const LIBRARY: (&str, &str) = ("userland/library/iospeed.c", "/usr/lib/renga/iospeed.c");

/// A kernel: the raw image that boards boot, and the ELF that explains its log and addresses.
#[derive(Clone, Debug)]
pub struct KernelArtifact {
    /// What boards boot.
    pub image: PathBuf,
    /// The same with symbols.
    pub elf: PathBuf,
}

/// Which kernel to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelFlavour {
    /// The ordinary one.
    Plain,
    /// With the built-in measurements in place of programs.
    Bench,
    /// With boards that attack the others on request.
    Hostile,
}

impl KernelFlavour {
    fn feature(self) -> Option<&'static str> {
        match self {
            KernelFlavour::Plain => None,
            KernelFlavour::Bench => Some("bench"),
            KernelFlavour::Hostile => Some("hostile"),
        }
    }
    /// The name of its folder.
    pub fn name(self) -> &'static str {
        self.feature().unwrap_or("plain")
    }
}

/// Where the kernel is built.
fn kernel_place(environment: &Environment, flavour: KernelFlavour) -> (PathBuf, KernelArtifact) {
    let kernels = environment.prebuilt(prebuilt::KERNELS).unwrap_or_else(|| environment.work().join("kernels"));
    let folder = kernels.join(flavour.name());
    let kernel = KernelArtifact { image: folder.join("kernel8.img"), elf: folder.join("kernel.elf") };
    (folder, kernel)
}

/// The kernel, if it has been built from the sources as they are. It takes no lock: a build removes the record of its
/// sources first, and writes it last.
pub fn kernel_if_built(environment: &Environment, flavour: KernelFlavour) -> Option<KernelArtifact> {
    let (folder, kernel) = kernel_place(environment, flavour);
    let (begun, sources) = (folder.join("begun"), folder.join("sources"));
    let fresh =
        environment.prebuilt(prebuilt::KERNELS).is_some() || freshness::is_newer(&environment.root, &begun, &sources);
    (kernel.image.exists() && fresh).then_some(kernel)
}

/// Builds the kernel, which boots any system.
///
/// # Errors
/// If cargo or objcopy fails; what they said is in the message.
pub fn kernel(environment: &Environment, flavour: KernelFlavour, progress: &ProgressLine) -> Result<KernelArtifact> {
    // Another one may be under way, for minutes.
    if let Some(kernel) = kernel_if_built(environment, flavour) {
        return Ok(kernel);
    }
    environment.expect_sources(&format!("a kernel ({})", flavour.name()))?;
    let (folder, kernel) = kernel_place(environment, flavour);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // All kernels are built in one folder, so that they share what they have in common: one at a time.
    let _lock = Lock::exclusive(&environment.work().join("kernels/lock"), &mut |line| progress.step(line))
        .context("cannot lock the kernels' folder")?;
    if let Some(kernel) = kernel_if_built(environment, flavour) {
        return Ok(kernel);
    }
    let (begun, sources) = (folder.join("begun"), folder.join("sources"));
    freshness::begin(&begun, &sources)?;
    progress.step(&format!("building the kernel ({})", flavour.name()));
    let target = environment.root.join("target/boards");
    let mut cargo = board_cargo(environment, &target)?;
    cargo.args(["-p", "renga-image", "--bin", "kernel"]);
    if let Some(feature) = flavour.feature() {
        cargo.args(["--features", feature]);
    }
    cargo::run(cargo, "the kernel does not build")?;
    let built = target.join(TARGET).join("release/kernel");
    replace_file(&built, &kernel.elf)?;
    let scratch = folder.join(format!("kernel8.{}", std::process::id()));
    raw_image(environment, &kernel.elf, &scratch)?;
    machine_code::check(&kernel.elf, &scratch)?;
    fs::rename(&scratch, &kernel.image)?;
    let further =
        ["Cargo.lock", "Cargo.toml", "kernel/image/Cargo.toml", "kernel/image/build.rs", "kernel/image/link.ld"];
    let further: Vec<PathBuf> = further.iter().map(|file| environment.root.join(file)).collect();
    freshness::record(&environment.root, &built.with_extension("d"), &further, &sources)?;
    Ok(kernel)
}

/// Builds the program that leaves a board as bad firmware does; its raw image.
///
/// # Errors
/// If cargo or objcopy fails.
pub fn garbage(environment: &Environment, folder: &Path, progress: &ProgressLine) -> Result<Vec<u8>> {
    environment.expect_sources("--garbage")?;
    progress.step("building the program that makes garbage");
    let target = environment.root.join("target/boards");
    let mut cargo = board_cargo(environment, &target)?;
    cargo.args(["-p", "renga-emu-garbage"]);
    cargo::run(cargo, "the program that makes garbage does not build")?;
    let image = folder.join("garbage.bin");
    raw_image(environment, &target.join(TARGET).join("release/garbage"), &image)?;
    fs::read(&image).with_context(|| format!("cannot read {}", image.display()))
}

/// What is loaded of `elf`, as it lies in memory.
fn raw_image(environment: &Environment, elf: &Path, image: &Path) -> Result<()> {
    let mut objcopy = Command::new(environment.objcopy()?);
    objcopy.args(["-O", "binary"]).arg(elf).arg(image);
    cargo::run(objcopy, "a raw image cannot be made")
}

/// Writes the tables of `system`, which its boards load beside the kernel, into `folder`; their path.
///
/// # Errors
/// If they cannot be written.
pub fn tables(system: &SystemFile, folder: &Path) -> Result<PathBuf> {
    let path = folder.join("system.bin");
    fs::write(&path, system.checked.to_blob()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Builds the emulator's plugin; its path.
///
/// # Errors
/// If cargo fails.
pub fn plugin(environment: &Environment, progress: &ProgressLine) -> Result<PathBuf> {
    if let Some(plugin) = environment.prebuilt(prebuilt::PLUGIN) {
        return Ok(plugin);
    }
    progress.step("building the emulator plugin");
    let target = environment.root.join("target");
    let mut cargo = Command::new(cargo::program());
    cargo.current_dir(&environment.root).args(["build", "--release", "--quiet", "-p", "renga-emu-plugin"]);
    cargo.arg("--target-dir").arg(&target);
    cargo::run(cargo, "the emulator plugin does not build")?;
    let built = target.join("release/librenga_emu_plugin.so");
    if !built.exists() {
        bail!("cargo built no {}", built.display());
    }
    Ok(built)
}

/// Builds our own programs; where each goes on the disk.
///
/// # Errors
/// If cargo fails.
pub fn programs(environment: &Environment, progress: &ProgressLine) -> Result<Vec<Placed>> {
    if environment.prebuilt(prebuilt::BOARD_PROGRAMS).is_none() {
        progress.step("building the user programs");
        let target = environment.root.join("target/boards");
        let mut cargo = board_cargo(environment, &target)?;
        cargo.args(["-p", "renga-userland"]);
        cargo::run(cargo, "the user programs do not build")?;
    }
    let (source, dest) = LIBRARY;
    let content = FileContent::HostFile(environment.root.join(source));
    let library = Placed { dest: dest.to_string(), content, mode: SOURCE_MODE };
    Ok(PROGRAMS.into_iter().map(|program| placed(environment, program)).chain([library]).collect())
}

/// Where the program of experiments about cores is, on the images of those.
pub const PROGRAM_FOR_CORES: &str = "/usr/lib/renga/p5";

/// The program that places itself on cores: on disks of boards with several, once [`programs`] has built it.
pub fn program_for_cores(environment: &Environment) -> Placed {
    placed(environment, ("p5", PROGRAM_FOR_CORES))
}

/// The files of our own programs, once [`programs`] has built them, sorted by their names.
pub fn program_files(environment: &Environment) -> BTreeMap<&'static str, PathBuf> {
    let names = PROGRAMS.iter().map(|(name, _)| *name).chain(["p5"]);
    names.map(|name| (name, program_file(environment, name))).collect()
}

fn program_file(environment: &Environment, name: &str) -> PathBuf {
    let built = || environment.root.join("target/boards").join(TARGET).join("release");
    environment.prebuilt(prebuilt::BOARD_PROGRAMS).unwrap_or_else(built).join(name)
}

fn placed(environment: &Environment, (name, dest): (&str, &str)) -> Placed {
    let built = program_file(environment, name);
    Placed { dest: dest.to_string(), content: FileContent::HostFile(built), mode: PROGRAM_MODE }
}

/// Builds the disk image that runs start from; its path.
///
/// # Errors
/// If packages cannot be fetched or the file system cannot be made.
pub fn disk(
    environment: &Environment,
    choice: &DiskChoice,
    output: Option<&Path>,
    progress: &ProgressLine,
) -> Result<PathBuf> {
    let out = output.map_or_else(|| environment.work().join(choice.file_name()), Path::to_path_buf);
    session_disk(environment, choice, Vec::new(), &out, progress)?;
    Ok(out)
}

/// Builds a disk image at `out` with further files on it.
///
/// # Errors
/// As [`disk`].
pub fn session_disk(
    environment: &Environment,
    choice: &DiskChoice,
    further: Vec<Placed>,
    out: &Path,
    progress: &ProgressLine,
) -> Result<()> {
    let mut spec = ImageSpec { choice: choice.clone(), ..ImageSpec::new(&environment.root) };
    spec.placed = programs(environment, progress)?;
    spec.placed.extend(further);
    disk_image::build(&spec, out, &mut |step| progress.step(step))?;
    Ok(())
}

/// A release build for the boards, quiet, with set-up's flags.
fn board_cargo(environment: &Environment, target: &Path) -> Result<Command> {
    let settings = environment.for_boards()?;
    let mut cargo = Command::new(cargo::program());
    cargo.current_dir(&environment.root).args(["build", "--release", "--quiet", "--target", TARGET, "--target-dir"]);
    // Log lines below this level are not compiled in.
    cargo.arg(target).env("DEFMT_LOG", "info");
    let given = settings.get(TARGET_RUSTFLAGS).map(|flags| flags.to_string_lossy()).unwrap_or_default();
    let flags = cargo::encoded_flags(&environment.root, &format!("{given} {CODE_FLAGS}"));
    cargo.envs(settings).env(cargo::ENCODED_FLAGS, flags);
    Ok(cargo)
}

/// Copies by renaming, so that a run that uses the old file is not disturbed.
fn replace_file(from: &Path, to: &Path) -> Result<()> {
    let scratch = to.with_extension(format!("{}", std::process::id()));
    fs::copy(from, &scratch).with_context(|| format!("cannot copy {}", from.display()))?;
    fs::rename(&scratch, to)?;
    Ok(())
}
