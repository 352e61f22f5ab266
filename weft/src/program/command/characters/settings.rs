//! How a character is played: from the command line and a file of options.

use std::path::{Path, PathBuf};

use animation::skeleton::Transition;

use crate::program::character_arguments::{CharacterArguments, Skinning};
use crate::program::failure::Failure;

/// Models that a command may ask for: more would need more memory than machines have.
const MOST_MODELS: usize = 1_000_000;

/// How a character is played, all said and within its bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The clip, if one is named.
    pub clip: Option<String>,
    /// Clips that come in later.
    pub then: Vec<(String, Transition)>,
    /// The least number of times that a model is animated in a second.
    pub least_rate: Option<f64>,
    /// How many models are animated in a frame at most.
    pub budget: Option<usize>,
    /// The time in which a camera amid the models turns once \[s\].
    pub look_around: Option<f64>,
    /// Intervals by model.
    pub intervals: Vec<u64>,
    /// Priorities by model.
    pub priorities: Vec<u32>,
    /// Where the skeleton of a clip is, if it is named.
    pub skeleton: Option<PathBuf>,
    /// How many models there are.
    pub models: usize,
    /// How many there are from a time on \[s\].
    pub models_at: Vec<(usize, f64)>,
    /// Whether each frame is drawn while the next one is computed.
    pub draw: bool,
    /// Each is animated every so many frames.
    pub interval: u64,
    /// Vertices are drawn for so many frames after theirs.
    pub life: u64,
    /// Where vertices are moved.
    pub skinning: Skinning,
    /// Number of workers, if a file says it.
    pub threads: Option<usize>,
}

impl Settings {
    /// Options of the command line before parameters (`--set`), these before a file (`--config`).
    ///
    /// # Errors
    /// A number out of its bounds, a parameter or a key that is not there, or a file that cannot be read.
    pub fn of(set: &[(String, String)], options: &CharacterArguments) -> Result<Self, Failure> {
        let file = options.config.as_deref().map(read).transpose()?.unwrap_or_default();
        let all = options.clone().or(parameters(set)?).or(file);
        let models = all.models.unwrap_or(1);
        if !(1..=MOST_MODELS).contains(&models) {
            return Err(Failure::Usage(format!("models: `{models}` is no number from 1 to {MOST_MODELS}")));
        }
        let interval = all.interval.unwrap_or(1);
        if interval == 0 || all.intervals.contains(&0) {
            return Err(Failure::Usage(
                "interval: models are animated every so many frames: at least 1".into(),
            ));
        }
        if all.budget == Some(0) {
            return Err(Failure::Usage("budget: at least one model is animated in a frame".into()));
        }
        for (name, number) in [("least-rate", all.least_rate), ("look-around", all.look_around)] {
            if let Some(number) = number.filter(|x| !(*x > 0.0 && x.is_finite())) {
                return Err(Failure::Usage(format!("{name}: `{number}` is not above zero")));
            }
        }
        let mut then: Vec<(String, Transition)> =
            all.then.iter().map(|text| transition(text)).collect::<Result<_, _>>()?;
        // Whoever comes in later is seen.
        then.sort_by(|(_, a), (_, b)| a.begin.total_cmp(&b.begin));
        let models_at = all.models_at.iter().map(|text| count(text)).collect::<Result<_, _>>()?;
        let life = all.life.unwrap_or_else(|| all.intervals.iter().copied().fold(interval, u64::max));
        let (clip, skeleton, threads) = (all.clip, all.skeleton, all.threads);
        let skinning = all.skinning.unwrap_or_default();
        let CharacterArguments { least_rate, budget, look_around, intervals, priorities, draw, .. } = all;
        Ok(Self {
            clip,
            then,
            least_rate,
            budget,
            look_around,
            intervals,
            priorities,
            skeleton,
            models,
            models_at,
            draw,
            interval,
            life,
            skinning,
            threads,
        })
    }
}

/// `N@TIME`.
fn count(text: &str) -> Result<(usize, f64), Failure> {
    let wrong = |what: String| Failure::Usage(format!("models-at: `{text}`: {what}"));
    let (n, time) = text.split_once('@').ok_or_else(|| wrong("it should be N@TIME".to_owned()))?;
    let n = n.parse().ok().filter(|n| *n <= MOST_MODELS);
    let n = n.ok_or_else(|| wrong(format!("there may be from 0 to {MOST_MODELS} models")))?;
    let time = time.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
    time.map(|time| (n, time)).ok_or_else(|| wrong("the time is no number of seconds".to_owned()))
}

/// How long a clip comes in, if nobody says \[s\].
const OVER: f64 = 0.3;

/// `NAME@TIME` or `NAME@TIME/OVER`.
fn transition(text: &str) -> Result<(String, Transition), Failure> {
    let wrong = |what: &str| Failure::Usage(format!("then: `{text}`: {what}"));
    let (name, times) =
        text.rsplit_once('@').ok_or_else(|| wrong("it should be NAME@TIME or NAME@TIME/OVER"))?;
    let (begin, duration) = match times.split_once('/') {
        Some((begin, over)) => (begin, over.parse().ok()),
        None => (times, Some(OVER)),
    };
    let begin = begin.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
    let duration = duration.filter(|x: &f64| x.is_finite() && *x >= 0.0);
    match (begin, duration) {
        (Some(begin), Some(duration)) => Ok((name.to_owned(), Transition { begin, duration })),
        (None, _) => Err(wrong("the time is no number of seconds")),
        (_, None) => Err(wrong("the time over which it comes in is no number of seconds")),
    }
}

/// Parameters, read as keys of a file are.
fn parameters(set: &[(String, String)]) -> Result<CharacterArguments, Failure> {
    let mut all = CharacterArguments::default();
    for (name, value) in set {
        let number = || {
            let wrong = |_| Failure::Usage(format!("--set {name}: `{value}` is no whole number"));
            value.parse::<u64>().map_err(wrong)
        };
        match name.as_str() {
            "clip" => all.clip = Some(value.clone()),
            "skeleton" => all.skeleton = Some(PathBuf::from(value)),
            "models" => all.models = Some(number()?.try_into().unwrap_or(usize::MAX)),
            "interval" => all.interval = Some(number()?),
            "life" => all.life = Some(number()?),
            "budget" => all.budget = Some(number()?.try_into().unwrap_or(usize::MAX)),
            _ => {
                let known = ["clip", "skeleton", "models", "interval", "life", "budget"];
                let hint = scenes::diagnostics::did_you_mean(name, known)
                    .unwrap_or_else(|| format!("a character has {}", known.join(", ")));
                return Err(Failure::Usage(format!("--set {name}: there is no such parameter; {hint}")));
            }
        }
    }
    Ok(all)
}

fn read(path: &Path) -> Result<CharacterArguments, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::input(path, e))?;
    // A list would be taken for the values of an object, in the order of its keys.
    if text.trim_start().starts_with('[') {
        let what = "options are one JSON object, such as {\"clip\":\"walk\"}, not a list";
        return Err(Failure::Input(format!("{}: {what}", path.display())));
    }
    // With line and column.
    serde_json::from_str(&text).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_holds_before_parameters_and_these_before_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("crowd.json");
        let text = r#"{"clip":"walk","models":7,"interval":3,"threads":2,"skinning":"matrices"}"#;
        std::fs::write(&path, text).expect("writes");
        let set = vec![("models".to_owned(), "5".to_owned()), ("interval".to_owned(), "2".to_owned())];
        let options =
            CharacterArguments { config: Some(path.clone()), interval: Some(4), ..Default::default() };
        let settings = Settings::of(&set, &options).expect("makes sense");
        let clip = Some("walk".to_owned());
        let skinning = Skinning::Matrices;
        let expected = Settings {
            clip,
            models: 5,
            interval: 4,
            life: 4,
            skinning,
            threads: Some(2),
            ..Settings::default()
        };
        assert_eq!(settings, expected);
        std::fs::write(&path, "[\"walk\"]").expect("writes");
        assert!(Settings::of(&set, &options).is_err_and(|e| e.to_string().contains("one JSON object")));
        let later = ["b@2", "a@1"].map(str::to_owned).to_vec();
        let in_order = Settings::of(&[], &CharacterArguments { then: later, ..Default::default() });
        let names = in_order.map(|s| s.then.into_iter().map(|(name, _)| name).collect::<Vec<_>>());
        assert_eq!(names.ok(), Some(vec!["a".to_owned(), "b".to_owned()]), "in the order of times");
        std::fs::write(&path, "{\"model\": 7}").expect("writes");
        let wrong = Settings::of(&set, &options).expect_err("no such key");
        let over = Transition { begin: 2.0, duration: 0.3 };
        assert_eq!(transition("a@b@2").ok(), Some(("a@b".to_owned(), over)));
        assert_eq!(transition("run@1/0").ok().map(|(_, t)| t.duration), Some(0.0));
        for text in ["run", "run@", "run@x", "run@-1", "run@1/-1", "run@1/nan"] {
            assert!(transition(text).is_err(), "{text}");
        }
        assert!(wrong.to_string().contains("crowd.json: unknown field `model`"), "{wrong}");
    }
}
