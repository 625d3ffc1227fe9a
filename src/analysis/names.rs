//! The names that mean something, and what is said of others.

use super::fields::{Fields, Remark};
use crate::params;
use crate::util::nearest::nearest;
use crate::util::quote::shorten;

/// So many unknown names of one object are told at most: a line may hold any number of them.
pub(super) const MOST: usize = 8;

/// The fields of a query.
const QUERY: [&str; 33] = [
    "id",
    "moves",
    "initialStones",
    "initialPlayer",
    "rules",
    "komi",
    "boardXSize",
    "boardYSize",
    "analyzeTurns",
    "maxVisits",
    "analysisPVLen",
    "includePolicy",
    "includePVVisits",
    "allowMoves",
    "avoidMoves",
    "overrideSettings",
    "reportDuringSearchEvery",
    "firstReportDuringSearchAfter",
    "priority",
    "priorities",
    "game",
    "setup",
    "players",
    "position",
    "includeOwnership",
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
    "rootPolicyTemperature",
    "rootFpuReductionMax",
    "whiteHandicapBonus",
    "overrideModel",
];

/// Fields of a query that KataGo knows: numbers or words that have no meaning here.
const WITHOUT_MEANING: [&str; 4] = [
    "rootFpuReductionMax",
    "rootPolicyTemperature",
    "whiteHandicapBonus",
    "overrideModel",
];

/// The same that ask for something, if they are true, that is not known here.
const NOT_KNOWN: [&str; 5] = [
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
    "includeOwnership",
    "includeOwnershipStdev",
];

/// The fields of an action.
const ACTION: [&str; 4] = ["id", "action", "terminateId", "turnNumbers"];

/// The subfields of `allowMoves` and `avoidMoves`.
pub(super) const BOUND: [&str; 3] = ["player", "moves", "untilDepth"];

/// What `overrideSettings` takes beside the parameters.
const SETTINGS: [&str; 5] = [
    "preset",
    "maxVisits",
    "maxTime",
    "analysisPVLen",
    "reportAnalysisWinratesAs",
];

/// Settings that KataGo's search has and this one has not.
const FOREIGN_SETTINGS: [&str; 104] = [
    "antiMirror",
    "avoidRepeatedPatternUtility",
    "chosenMovePrune",
    "chosenMoveSubtract",
    "chosenMoveTemperature",
    "chosenMoveTemperatureEarly",
    "chosenMoveTemperatureHalflife",
    "chosenMoveTemperatureOnlyBelowProb",
    "conservativePass",
    "cpuctExploration",
    "cpuctExplorationBase",
    "cpuctExplorationLog",
    "cpuctUtilityStdevPrior",
    "cpuctUtilityStdevPriorWeight",
    "cpuctUtilityStdevScale",
    "drawEquivalentWinsForWhite",
    "dynamicScoreCenterScale",
    "dynamicScoreCenterZeroWeight",
    "dynamicScoreUtilityFactor",
    "enablePassingHacks",
    "endgameTurnTimeDecay",
    "evalCacheMinVisits",
    "fillDameBeforePass",
    "fpuLossProp",
    "fpuParentWeight",
    "fpuParentWeightByVisitedPolicy",
    "fpuParentWeightByVisitedPolicyPow",
    "fpuReductionMax",
    "fpuUseParentAverage",
    "futileVisitsThreshold",
    "graphSearchCatchUpLeakProb",
    "graphSearchRepBound",
    "humanSLChosenMoveIgnorePass",
    "humanSLChosenMovePiklLambda",
    "humanSLChosenMoveProp",
    "humanSLCpuctExploration",
    "humanSLCpuctPermanent",
    "humanSLOppExploreProbWeightful",
    "humanSLOppExploreProbWeightless",
    "humanSLPlaExploreProbWeightful",
    "humanSLPlaExploreProbWeightless",
    "humanSLProfile",
    "humanSLRootExploreProbWeightful",
    "humanSLRootExploreProbWeightless",
    "ignoreAllHistory",
    "ignorePreRootHistory",
    "lagBuffer",
    "lcbStdevs",
    "maxPlayouts",
    "maxPlayoutsPondering",
    "maxTimePondering",
    "maxVisitsPondering",
    "midgameTimeFactor",
    "midgameTurnPeakTime",
    "minPlayoutsPerThread",
    "minVisitPropForLCB",
    "mutexPoolSize",
    "nnPolicyTemperature",
    "noResultUtilityForWhite",
    "nodeTableShardsPowerOfTwo",
    "noisePruneUtilityScale",
    "noisePruningCap",
    "numSearchThreads",
    "numVirtualLossesPerThread",
    "obviousMovesPolicyEntropyTolerance",
    "obviousMovesPolicySurpriseTolerance",
    "obviousMovesTimeFactor",
    "overallocateTimeFactor",
    "playoutDoublingAdvantage",
    "playoutDoublingAdvantagePla",
    "policyOptimism",
    "rootDesiredPerChildVisitsCoeff",
    "rootDirichletNoiseTotalConcentration",
    "rootDirichletNoiseWeight",
    "rootEndingBonusPoints",
    "rootFpuLossProp",
    "rootFpuReductionMax",
    "rootNoiseEnabled",
    "rootNumSymmetriesToSample",
    "rootPolicyOptimism",
    "rootPolicyTemperature",
    "rootPolicyTemperatureEarly",
    "rootPruneUselessMoves",
    "rootSymmetryPruning",
    "searchFactorAfterOnePass",
    "searchFactorAfterTwoPass",
    "staticScoreUtilityFactor",
    "subtreeValueBiasFactor",
    "subtreeValueBiasFreeProp",
    "subtreeValueBiasTableNumShards",
    "subtreeValueBiasWeightExponent",
    "treeReuseCarryOverTimeFactor",
    "uncertaintyCoeff",
    "uncertaintyExponent",
    "uncertaintyMaxWeight",
    "useEvalCache",
    "useGraphSearch",
    "useLcbForSelection",
    "useNoisePruning",
    "useNonBuggyLcb",
    "useUncertainty",
    "valueWeightExponent",
    "wideRootNoise",
    "winLossUtilityFactor",
];

/// Warnings on the fields of a query that have no meaning, and on those that nobody knows, which
/// are all that are left.
///
/// # Errors
/// A value that KataGo would refuse, too.
pub(super) fn ignored(fields: &mut Fields, warnings: &mut Vec<Remark>) -> Result<(), Remark> {
    let not_supported = "Not supported by Tanada, the field is ignored";
    for name in NOT_KNOWN {
        if fields.boolean(name)? {
            warnings.push(Remark::new(name, not_supported));
        }
    }
    for name in WITHOUT_MEANING {
        if fields.take(name).is_some() {
            warnings.push(Remark::new(name, not_supported));
        }
    }
    warnings.extend(
        fields
            .names()
            .take(MOST)
            .map(|name| unexpected(name, &QUERY)),
    );
    let more = fields.names().skip(MOST).count();
    if let Some(name) = fields.names().nth(MOST) {
        let text = format!(
            "Unexpected or unused fields, this one and {} more",
            more - 1
        );
        warnings.push(Remark::new(&shorten(name, 60), text));
    }
    Ok(())
}

/// Warnings on the fields of an action that look like misspelt ones. Others are fine: they are sent
/// back as they came.
pub(super) fn left_of_action(fields: &Fields) -> Vec<Remark> {
    let names = fields.names().take(4 * MOST);
    let near = names.filter(|name| !ACTION.contains(name) && nearest(name, ACTION).is_some());
    near.take(MOST)
        .map(|name| unexpected(name, &ACTION))
        .collect()
}

fn unexpected(name: &str, known: &[&'static str]) -> Remark {
    let mut text = "Unexpected or unused field, do you have a typo?".to_string();
    if let Some(other) = nearest(name, known.iter().copied()) {
        text += &format!(" Did you mean `{other}`?");
    }
    Remark::new(&shorten(name, 60), text)
}

/// Warnings on settings that no parameter is named for: those that KataGo knows, and those that
/// nobody does.
pub(super) fn unknown_settings(names: &[String]) -> Vec<Remark> {
    let is_foreign = |name: &&str| FOREIGN_SETTINGS.contains(name);
    let names = || names.iter().map(String::as_str);
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(Remark::new("overrideSettings", text));
    if names().any(|name| is_foreign(&name)) {
        let listed = listed(names().filter(is_foreign), &[]);
        warn(format!("Not supported by Tanada, ignored: {listed}"));
    }
    if names().any(|name| !is_foreign(&name)) {
        let own = params::PARAMETERS.iter().map(|parameter| parameter.name);
        let known: Vec<&str> = own.chain(SETTINGS).chain(FOREIGN_SETTINGS).collect();
        let listed = listed(names().filter(|name| !is_foreign(name)), &known);
        warn(format!("Unknown config params: {listed}"));
    }
    warnings
}

/// Names with the known one that each may mean, the first few of them.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>, known: &[&str]) -> String {
    let mut text = String::new();
    let mut more = 0;
    for (place, name) in names.enumerate() {
        if place >= MOST {
            more += 1;
            continue;
        }
        let comma = if place > 0 { "," } else { "" };
        text += &format!("{comma}{}", shorten(name, 60));
        if let Some(other) = nearest(name, known.iter().copied()) {
            text += &format!(" (did you mean `{other}`?)");
        }
    }
    if more > 0 {
        text += &format!(" and {more} more");
    }
    text
}

/// Which known name one of these may mean, as the end of a sentence; nothing if none does.
pub(super) fn hint<'a>(names: impl Iterator<Item = &'a str>, known: &[&'static str]) -> String {
    let mut near = names.take(MOST).filter_map(|name| {
        let other = nearest(name, known.iter().copied())?;
        Some(format!(
            "; did you mean `{other}` by `{}`?",
            shorten(name, 60)
        ))
    });
    near.next().unwrap_or_default()
}

/// Which name that nobody knows may mean one of these, of which one has to be there, as the end of a
/// sentence; nothing if none does.
pub(super) fn hint_at(missing: &[&'static str], fields: &Fields) -> String {
    let is_unknown = |name: &&str| !QUERY.contains(name) && !ACTION.contains(name);
    hint(fields.names().filter(is_unknown), missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_known_twice() {
        let own: Vec<&str> = params::PARAMETERS.iter().map(|p| p.name).collect();
        for name in FOREIGN_SETTINGS.iter().chain(&SETTINGS) {
            assert!(!own.contains(name), "{name}");
        }
        for name in SETTINGS {
            assert!(!FOREIGN_SETTINGS.contains(&name), "{name}");
        }
        for name in WITHOUT_MEANING.iter().chain(&NOT_KNOWN) {
            assert!(QUERY.contains(name), "{name}");
        }
    }

    #[test]
    fn unknown_settings_are_told_with_the_nearest_known_one() {
        let told = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            let warnings = unknown_settings(&names).into_iter();
            warnings.map(|remark| remark.message).collect::<Vec<_>>()
        };
        assert_eq!(told(&[]), [""; 0]);
        assert_eq!(
            told(&["timePerMove", "wideRootNoise", "maxvisit", "xyz"]),
            [
                "Not supported by Tanada, ignored: wideRootNoise",
                "Unknown config params: timePerMove (did you mean `time_per_move`?),maxvisit \
                 (did you mean `maxVisits`?),xyz",
            ]
        );
        let many: Vec<String> = (0..100_000).map(|n| format!("{n}xyzxyz")).collect();
        let text = &unknown_settings(&many)[0].message;
        assert!(text.ends_with(",7xyzxyz and 99992 more"), "{text}");
    }

    #[test]
    fn few_unknown_fields_are_told_however_many_there_are() {
        let map = (0..1000)
            .map(|n| (format!("{n:04}"), serde_json::Value::Null))
            .collect();
        let mut warnings = Vec::new();
        ignored(&mut Fields::of(map), &mut warnings).unwrap();
        assert_eq!(warnings.len(), MOST + 1);
        let last = warnings.last().unwrap();
        assert_eq!(
            (last.field.as_deref(), last.message.as_str()),
            (
                Some("0008"),
                "Unexpected or unused fields, this one and 991 more"
            )
        );
    }
}
