//! What cluster is wanted: the answers to all questions, each checked by itself and with those before it.

use super::asker::{Asker, ClusterQuestion};
use super::new_folder::expect_new;
use anyhow::{Context, Result, bail};
use renga_boot_card::{LinkMode, Model, NAME_BYTES_MAX};
use renga_cli::{ClusterNew, DEFAULT_CLUSTER_NAME};
use renga_images::card::models;
use renga_images::system::SystemFile;
use renga_placement::CORES_MAX;
use renga_workspace::environment::Environment;
use std::path::PathBuf;

/// Names of boards in new systems.
static BOARDS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const MANY_CORES: u8 = CORES_MAX;

/// A cluster that is to be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WantedCluster {
    /// Its name, and that of its system.
    pub name: String,
    /// Each board's model, by number.
    pub models: Vec<Model>,
    /// On how many cores of each board its processes run.
    pub cores: u8,
    /// What joins the boards.
    pub link: LinkMode,
    /// Which board owns the disk.
    pub disk_board: String,
    /// Where everything goes.
    pub out: PathBuf,
    /// Whether card images are made.
    pub with_cards: bool,
}

impl WantedCluster {
    /// Asks for what `options` do not say.
    ///
    /// # Errors
    /// If an answer cannot be used, or is missing.
    pub fn ask(environment: &Environment, options: &ClusterNew, asker: &mut Asker<'_>) -> Result<WantedCluster> {
        let name = name(environment, options, asker)?;
        let boards = options.boards.map(|count| count.to_string());
        let question = ClusterQuestion { text: "How many boards, 1 to 8", option: "--boards", usual: 2_usize };
        let count = asker.answer(boards.as_deref(), question, &|text| {
            text.parse::<usize>()
                .ok()
                .filter(|count| (1..=BOARDS.len()).contains(count))
                .context("a cluster has 1 to 8 boards")
        })?;
        let boards = &BOARDS[..count];
        let models = board_models(options, asker, boards)?;
        let cores = cores(options, asker, &models)?;
        let link = link(options, asker, count)?;
        let question = ClusterQuestion { text: "Which board owns the disk", option: "--disk-board", usual: boards[0] };
        let find = |text: &str| boards.iter().copied().find(|board| *board == text);
        let find = |text: &str| find(text).with_context(|| format!("the boards are {}", boards.join(", ")));
        let said = options.disk_board.as_deref().or((count == 1).then_some(boards[0]));
        let disk_board = asker.answer(said, question, &find)?.to_string();
        let out = out(options, asker, &name)?;
        let question =
            ClusterQuestion { text: "Make the card images now, yes or no", option: "--no-cards", usual: "yes" };
        let said = options.no_cards.then_some("no").or(has_disk_choice(options).then_some("yes"));
        let with_cards = asker.answer(said, question, &|text| match text {
            "yes" | "y" => Ok("yes"),
            "no" | "n" => Ok("no"),
            _ => bail!("say yes or no"),
        })? == "yes";
        Ok(WantedCluster { name, models, cores, link, disk_board, out, with_cards })
    }
}

/// Whether something was said about the disk of cards, so that there are to be some.
fn has_disk_choice(options: &ClusterNew) -> bool {
    let image = &options.image;
    image.image.is_some() || !image.packages.is_empty() || image.packages_file.is_some()
}

fn name(environment: &Environment, options: &ClusterNew, asker: &mut Asker<'_>) -> Result<String> {
    let question =
        ClusterQuestion { text: "Name of the cluster", option: "--name", usual: DEFAULT_CLUSTER_NAME.to_string() };
    asker.answer(options.name.as_deref(), question, &|text| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !text.bytes().all(is_letter) || !(1..=NAME_BYTES_MAX).contains(&text.len()) {
            bail!("a name has 1 to {NAME_BYTES_MAX} letters, digits, - and _");
        }
        // A card says the name of its system: it is to mean one system only.
        if SystemFile::find(environment, text).is_ok() {
            bail!("`{text}` is the name of a system that comes with Renga");
        }
        Ok(text.to_string())
    })
}

fn board_models(options: &ClusterNew, asker: &mut Asker<'_>, boards: &[&str]) -> Result<Vec<Model>> {
    if !options.board.is_empty() {
        return models::of_boards(boards, &options.board, None);
    }
    let known = Model::ALL.map(Model::name).join(", ");
    let mut models = Vec::new();
    for board in boards {
        let usual = models.last().copied().unwrap_or(Model::Pi3);
        let text = format!("Model of board {board}: {known}");
        let question = ClusterQuestion { text: &text, option: "--board", usual };
        let model = asker.answer(None, question, &|text| {
            Model::named(text).with_context(|| format!("there is no board `{text}`: known ones are {known}"))
        })?;
        models.push(model);
    }
    Ok(models)
}

fn cores(options: &ClusterNew, asker: &mut Asker<'_>, models: &[Model]) -> Result<u8> {
    let question = ClusterQuestion {
        text: "On how many cores of each board its processes run, 1 or 4",
        option: "--cores",
        usual: 1,
    };
    asker.answer(options.cores.as_deref(), question, &|text| match text.parse::<u8>() {
        Ok(1) => Ok(1),
        Ok(MANY_CORES) if models.contains(&Model::Pi4) => bail!("of a Pi 4 Renga uses one core only"),
        Ok(MANY_CORES) => Ok(MANY_CORES),
        _ => bail!("say 1 or {MANY_CORES}"),
    })
}

fn link(options: &ClusterNew, asker: &mut Asker<'_>, boards: usize) -> Result<LinkMode> {
    let known = LinkMode::ALL.map(LinkMode::name).join(", ");
    let text = format!("What joins the boards: {known}");
    let question = ClusterQuestion { text: &text, option: "--link", usual: LinkMode::Pins };
    // One board has no link; its card says the usual one.
    let said = options.link.as_deref().or((boards == 1).then_some(LinkMode::Pins.name()));
    asker.answer(said, question, &|text| {
        LinkMode::named(text).with_context(|| format!("there is no link `{text}`: known ones are {known}"))
    })
}

fn out(options: &ClusterNew, asker: &mut Asker<'_>, name: &str) -> Result<PathBuf> {
    let said = options.out.as_ref().map(|path| path.display().to_string());
    let question = ClusterQuestion { text: "New folder for all files", option: "--out", usual: name.to_string() };
    let path = asker.answer(said.as_deref(), question, &|text| {
        expect_new(text.as_ref(), options.force)?;
        Ok(text.to_string())
    })?;
    Ok(options.out.clone().unwrap_or_else(|| PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use super::WantedCluster;
    use crate::command::cluster::asker::Asker;
    use clap::Parser;
    use renga_boot_card::{LinkMode, Model};
    use renga_cli::{Cli, RealClusterCommand, RengaCommand};
    use renga_workspace::environment::Environment;

    fn asked(words: &str, typed: &str) -> (anyhow::Result<WantedCluster>, String) {
        let words = ["renga", "cluster", "new"].into_iter().chain(words.split_whitespace());
        let RengaCommand::Cluster(options) = Cli::try_parse_from(words).expect("it parses").command else { panic!() };
        let RealClusterCommand::New(options) = options.what;
        let (mut input, mut output) = (typed.as_bytes(), Vec::new());
        let environment = Environment::read().expect("this is inside Renga's folder");
        let mut asker = Asker::person(&mut input, &mut output);
        let wanted = WantedCluster::ask(&environment, &options, &mut asker);
        (wanted, String::from_utf8(output).expect("text"))
    }

    #[test]
    fn cluster_enter_at_each_question_gives_values_in_brackets() {
        let (wanted, said) = asked("", &"\n".repeat(9));
        let expected = WantedCluster {
            name: "renga".into(),
            models: vec![Model::Pi3; 2],
            cores: 1,
            link: LinkMode::Pins,
            disk_board: "a".into(),
            out: "renga".into(),
            with_cards: true,
        };
        assert_eq!(wanted.unwrap_or_else(|error| panic!("{error:#}\n{said}")), expected);
        assert!(said.starts_with("Name of the cluster [renga]? How many boards, 1 to 8 [2]? "), "{said}");
    }

    #[test]
    fn cluster_answer_that_cannot_be_used_is_asked_for_again() {
        let typed = "pair\nlab\n9\n3\npi5\npi3\nzero2w\n\n2\n4\nwires\nspi\nd\nb\n/\nlab-x\nperhaps\nno\n";
        let (wanted, said) = asked("", typed);
        let wanted = wanted.unwrap_or_else(|error| panic!("{error:#}\n{said}"));
        assert_eq!((wanted.name.as_str(), wanted.disk_board.as_str()), ("lab", "b"));
        assert_eq!(wanted.models, [Model::Pi3, Model::Zero2W, Model::Zero2W]);
        assert_eq!((wanted.cores, wanted.link, wanted.with_cards), (4, LinkMode::Spi, false));
        let reasons = [
            "`pair` is the name of a system",
            "a cluster has 1 to 8 boards",
            "there is no board `pi5`",
            "say 1 or 4",
            "there is no link `wires`",
            "the boards are a, b, c",
            "/ exists",
            "say yes or no",
        ];
        reasons.iter().for_each(|reason| assert_eq!(said.matches(reason).count(), 1, "{reason}: {said}"));
    }

    #[test]
    fn cluster_options_leave_no_question() {
        let words = "--name lab --boards 2 --board a=pi4 --board b=pi3 --cores 1 --link pins4 --disk-board b --out x";
        let (wanted, said) = asked(&format!("{words} --no-cards"), "");
        let wanted = wanted.unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!((wanted.models, wanted.link, said.as_str()), (vec![Model::Pi4, Model::Pi3], LinkMode::Pins4, ""));
        let refused = |words: &str| format!("{:#}", asked(words, "").0.expect_err(words));
        assert!(refused(&words.replace("--cores 1", "--cores 4")).contains("one core only"));
        assert!(refused(&words.replace("a=pi4", "b=pi4")).contains("which model is board a"));
        assert!(refused(&words.replace("board b ", "board z ")).contains("the boards are a, b"));
    }

    #[test]
    fn cluster_input_that_ends_makes_nothing() {
        let error = asked("--name lab", "2\n").0.expect_err("it ended");
        assert!(error.to_string().contains("nothing was made"), "{error}");
    }
}
