//! `config.txt` and `cmdline.txt`: the settings of the firmware.
//!
//! Never read by a real board's firmware yet. Reasons for each line stand in the file itself, where the owner of the
//! board reads them.

use clap::ValueEnum;
use renga_boot_card::LinkMode;
use renga_cli::ProgramName;

/// Before the name of what runs in place of the system.
const PROGRAM: &str = "program=";

const HEAD: &str = "\
# Renga: what the board's firmware does before it starts the kernel.
# This file has never been read by a real board. If yours does not start, say so.
arm_64bit=1
kernel=kernel8.img
# The kernel's own header asks for this address too; older firmware does not read headers.
kernel_address=0x80000
# Who runs where: tables that the kernel reads, behind its own memory.
initramfs SYSTEM.BIN 0x08000000
# A line in cmdline.txt for the kernel, the device tree by its usual name.
cmdline=cmdline.txt
# The console: PL011 on GPIO14 (out) and GPIO15 (in), 115200 bit/s. The kernel routes the pins itself, so that no
# overlay is needed; its own clock stays what it is here.
enable_uart=1
uart_2ndstage=1
init_uart_clock=48000000
# One speed, always: delays and the link are tuned to it.
initial_turbo=0
force_turbo=1
disable_splash=1
boot_delay=0
# No traffic on GPIO0 and GPIO1, and none for a PoE hat.
force_eeprom_read=0
disable_poe_fan=1
";

const LINK_PINS: &str = "\
# The link's control lines rest high, its data lines low, until the kernel drives them.
gpio=4-9=ip,pu
gpio=10-13,16-27=ip,pd
";

const LINK_SPI: &str = "\
# The link over SPI: control lines and select rest high, data and clock low, until the kernel drives them. The SPI clock
# follows the core's, which the lines above keep as it is. This link has never run on a board.
gpio=4-8,12=ip,pu
gpio=9-11,19-20=ip,pd
gpio=21=ip,np
";

/// `config.txt`.
pub fn config(link: LinkMode) -> String {
    let pins = match link {
        LinkMode::Pins | LinkMode::Pins4 => LINK_PINS,
        LinkMode::Spi => LINK_SPI,
    };
    format!("{HEAD}{pins}")
}

/// `cmdline.txt`: one line.
pub fn command_line(board: usize, link: LinkMode, program: Option<ProgramName>) -> String {
    let program = program.map(|program| format!(" {PROGRAM}{}", program.name())).unwrap_or_default();
    format!("board={board} link={link}{program}\n")
}

/// The program that a command line names.
pub fn program_of(command_line: &str) -> Option<ProgramName> {
    let name = command_line.split_ascii_whitespace().find_map(|word| word.strip_prefix(PROGRAM))?;
    ProgramName::from_str(name, false).ok()
}
