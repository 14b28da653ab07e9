//! `renga linux`: one script on Debian's Linux, on the board and with the disk that Renga would have.

use super::stats::RunTimes;
use anyhow::{Context, Result};
use renga_cluster::linux::{CardModel, LinuxBoard, LinuxHardware};
use renga_cluster::session_disk;
use renga_images::disk_image;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use renga_workspace::progress::{FirstOutput, ProgressLine};
use renga_workspace::scratch::Scratch;
use std::io::Write;
use std::time::Duration;

/// Runs it; gives the script's status.
///
/// # Errors
/// If there is no script, something cannot be fetched or built, or Linux fails.
pub fn linux(environment: &Environment, options: &renga_cli::LinuxArgs) -> Result<u8> {
    let script = session_disk::script(&options.job)?;
    if script.is_none() && options.job.disk.is_none() {
        anyhow::bail!("say what Linux is to run: -c 'COMMAND', or -f SCRIPT");
    }
    options.job.extract.as_deref().map_or(Ok(()), output::expect_folder)?;
    let kept = session_disk::kept(&options.job)?;
    let progress = ProgressLine::start();
    let scratch = Scratch::make(environment)?;
    let hardware = LinuxHardware {
        cores: options.cores,
        null_disk_ns: options.null_disk_ns,
        memory_mib: options.memory_mib,
        card: options.card_us.zip(options.card_mb_s).map(|(request_us, rate_mb_s)| CardModel { request_us, rate_mb_s }),
        core_slice_ns: None,
    };
    let linux = LinuxBoard::prepare(environment, &scratch.folder, hardware, &progress)?;
    let job = (&options.job, options.cores);
    let disk = session_disk::make(kept, environment, job, script.as_deref(), &scratch, &progress)?;
    progress.finish();
    let mut stderr = std::io::stderr();
    let log = options.log.then_some(&mut stderr as &mut dyn Write);
    let ended = linux.run(
        &disk.path,
        Duration::from_secs(options.host_limit_s),
        &mut FirstOutput::after("Linux runs", std::io::stdout()),
        log,
    )?;
    disk.finish()?;
    if let Some(folder) = &options.job.extract {
        disk_image::extract_tree(&disk.path, folder)
            .context("Linux ran, but the files of its disk cannot be copied")?;
    }
    if let Some(stats) = ended.stats.filter(|_| options.stats) {
        RunTimes::of(&stats).print();
        eprintln!("console hash   {:016x}", stats.log_hash);
    }
    Ok(ended.status)
}
