//! A Slurm cluster of this machine alone: the real controller, daemon and MUNGE, from Debian's packages, unpacked.
//!
//! Invariant: they listen on the loopback address, at ports that were free, and end with the value.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const START_MAX: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(100);
const KEY_BYTES: usize = 1024;

/// It, running.
pub struct Slurm {
    root: PathBuf,
    folder: PathBuf,
    daemons: Vec<Child>,
}

impl Slurm {
    /// Starts it in `folder`, from what is unpacked in `root`.
    pub fn start(root: &Path, folder: &Path) -> Slurm {
        let mut slurm = Slurm { root: root.to_path_buf(), folder: folder.to_path_buf(), daemons: Vec::new() };
        for name in ["state", "spool", "run"] {
            fs::create_dir_all(folder.join(name)).expect("target/ can be written");
        }
        // MUNGE refuses folders that other users can write to.
        fs::set_permissions(folder.join("run"), fs::Permissions::from_mode(0o755)).expect("it is ours");
        let key = folder.join("munge.key");
        fs::write(&key, [b'k'; KEY_BYTES]).expect("target/ can be written");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).expect("it is ours");
        fs::write(folder.join("slurm.conf"), slurm.configuration()).expect("target/ can be written");
        let option = |name: &str, file: &str| format!("--{name}={}", folder.join(file).display());
        let files = [("key-file", "munge.key"), ("socket", "run/munge"), ("pid-file", "run/munged.pid")];
        let logs = [("log-file", "munged.log"), ("seed-file", "munge.seed")];
        let mut arguments = vec!["--foreground".to_string(), "--force".to_string()];
        arguments.extend(files.iter().chain(&logs).map(|(name, file)| option(name, file)));
        slurm.daemon("munged", &arguments);
        slurm.wait_until("MUNGE listens", |slurm| slurm.folder.join("run/munge").exists());
        slurm.daemon("slurmctld-wlm", &["-D".to_string()]);
        let steps = slurm.program("slurmstepd-wlm").display().to_string();
        slurm.daemon("slurmd-wlm", &["-D".to_string(), "-d".to_string(), steps]);
        slurm.wait_until("the node is idle", |slurm| slurm.ask("sinfo", &["-h", "-o", "%T"]).trim() == "idle");
        slurm
    }

    fn program(&self, name: &str) -> PathBuf {
        self.root.join("usr/sbin").join(name)
    }

    fn libraries(&self) -> [PathBuf; 2] {
        // As Debian calls the host's architecture.
        let all = self.root.join(format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH));
        [all.clone(), all.join("slurm-wlm")]
    }

    fn configuration(&self) -> String {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("Linux says its name");
        let host = host.trim().split('.').next().unwrap_or("localhost").to_string();
        let port = || TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port is free");
        let (controller, node) = (port().port(), port().port());
        let at = |name: &str| self.folder.join(name).display().to_string();
        let plugins = self.libraries()[1].display().to_string();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        format!(
            "ClusterName=renga\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={controller}\nSlurmdPort={node}\n\
             SlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket={}\nCredType=cred/munge\n\
             StateSaveLocation={}\nSlurmdSpoolDir={}\nSlurmctldPidFile={}\nSlurmdPidFile={}\nPluginDir={plugins}\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\nReturnToService=2\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSchedulerParameters=batch_sched_delay=0\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs={cores}\nPartitionName=all Nodes=ALL Default=YES State=UP\n",
            at("run/munge"),
            at("state"),
            at("spool"),
            at("run/slurmctld.pid"),
            at("run/slurmd.pid"),
        )
    }

    /// Has `command` find it.
    pub fn settings(&self, command: &mut Command) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = vec![self.root.join("usr/bin")];
        folders.extend(std::env::split_paths(&path));
        let path: OsString = std::env::join_paths(folders).expect("folders without colons");
        let libraries = std::env::join_paths(self.libraries()).expect("folders without colons");
        command.env("PATH", path).env("LD_LIBRARY_PATH", libraries).env("SLURM_CONF", self.folder.join("slurm.conf"));
    }

    fn daemon(&mut self, name: &str, arguments: &[String]) {
        let log =
            |end: &str| fs::File::create(self.folder.join(format!("{name}.{end}"))).expect("target/ can be written");
        let mut daemon = Command::new(self.program(name));
        self.settings(&mut daemon);
        daemon.args(arguments).stdin(Stdio::null()).stdout(log("out")).stderr(log("err"));
        let started = daemon.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        self.daemons.push(started);
    }

    /// What one of its commands says.
    pub fn ask(&self, name: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(self.root.join("usr/bin").join(name));
        self.settings(&mut command);
        let output = command.args(arguments).output().expect("it was unpacked");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn wait_until(&self, what: &str, holds: impl Fn(&Slurm) -> bool) {
        let begin = Instant::now();
        while !holds(self) {
            assert!(begin.elapsed() < START_MAX, "{what}: not within {START_MAX:?}\n{}", self.report());
            sleep(POLL);
        }
    }

    /// What the daemons said.
    pub fn report(&self) -> String {
        let of = |name: &str| fs::read_to_string(self.folder.join(format!("{name}.err"))).unwrap_or_default();
        ["munged", "slurmctld-wlm", "slurmd-wlm"].map(|name| format!("--- {name}\n{}", of(name))).concat()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill(); // it may be gone already
            let _ = daemon.wait();
        }
    }
}
