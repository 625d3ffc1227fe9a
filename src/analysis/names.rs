//! The known names of fields and settings, and the warnings about others.

use super::fields::{Fields, Remark};
use crate::params;
use crate::util::nearest::nearest;
use crate::util::quote::shorten;

/// At most this many unknown names of an object are reported.
pub(super) const MOST: usize = 8;

/// The fields of a query, with blanks between them.
const QUERY: &str = "\
    id moves initialStones initialPlayer rules komi boardXSize boardYSize analyzeTurns maxVisits \
    analysisPVLen includePolicy includePVVisits allowMoves avoidMoves overrideSettings \
    reportDuringSearchEvery firstReportDuringSearchAfter priority priorities game setup players \
    position includeOwnership includeOwnershipStdev includeMovesOwnership \
    includeMovesOwnershipStdev includeNoResultValue rootPolicyTemperature rootFpuReductionMax \
    whiteHandicapBonus overrideModel";

/// Fields of KataGo's queries that have no meaning here.
const WITHOUT_MEANING: [&str; 4] = [
    "rootFpuReductionMax",
    "rootPolicyTemperature",
    "whiteHandicapBonus",
    "overrideModel",
];

/// Fields that ask for something unavailable here if they are true.
const UNAVAILABLE: [&str; 5] = [
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
    "includeOwnership",
    "includeOwnershipStdev",
];

/// The fields of an action.
const ACTION: [&str; 4] = ["id", "action", "terminateId", "turnNumbers"];

/// The subfields of `allowMoves` and `avoidMoves`.
pub(super) const RESTRICTION: [&str; 3] = ["player", "moves", "untilDepth"];

/// The settings of `overrideSettings` that are not parameters.
const SETTINGS: [&str; 5] = [
    "preset",
    "maxVisits",
    "maxTime",
    "analysisPVLen",
    "reportAnalysisWinratesAs",
];

/// Settings of KataGo that have no meaning here, with blanks between them.
const KATAGO_SETTINGS: &str = "\
    antiMirror avoidRepeatedPatternUtility chosenMovePrune chosenMoveSubtract \
    chosenMoveTemperature chosenMoveTemperatureEarly chosenMoveTemperatureHalflife \
    chosenMoveTemperatureOnlyBelowProb conservativePass cpuctExploration cpuctExplorationBase \
    cpuctExplorationLog cpuctUtilityStdevPrior cpuctUtilityStdevPriorWeight cpuctUtilityStdevScale \
    drawEquivalentWinsForWhite dynamicScoreCenterScale dynamicScoreCenterZeroWeight \
    dynamicScoreUtilityFactor enablePassingHacks endgameTurnTimeDecay evalCacheMinVisits \
    fillDameBeforePass fpuLossProp fpuParentWeight fpuParentWeightByVisitedPolicy \
    fpuParentWeightByVisitedPolicyPow fpuReductionMax fpuUseParentAverage futileVisitsThreshold \
    graphSearchCatchUpLeakProb graphSearchRepBound humanSLChosenMoveIgnorePass \
    humanSLChosenMovePiklLambda humanSLChosenMoveProp humanSLCpuctExploration \
    humanSLCpuctPermanent humanSLOppExploreProbWeightful humanSLOppExploreProbWeightless \
    humanSLPlaExploreProbWeightful humanSLPlaExploreProbWeightless humanSLProfile \
    humanSLRootExploreProbWeightful humanSLRootExploreProbWeightless ignoreAllHistory \
    ignorePreRootHistory lagBuffer lcbStdevs maxPlayouts maxPlayoutsPondering maxTimePondering \
    maxVisitsPondering midgameTimeFactor midgameTurnPeakTime minPlayoutsPerThread \
    minVisitPropForLCB mutexPoolSize nnPolicyTemperature noResultUtilityForWhite \
    nodeTableShardsPowerOfTwo noisePruneUtilityScale noisePruningCap numSearchThreads \
    numVirtualLossesPerThread obviousMovesPolicyEntropyTolerance \
    obviousMovesPolicySurpriseTolerance obviousMovesTimeFactor overallocateTimeFactor \
    playoutDoublingAdvantage playoutDoublingAdvantagePla policyOptimism \
    rootDesiredPerChildVisitsCoeff rootDirichletNoiseTotalConcentration rootDirichletNoiseWeight \
    rootEndingBonusPoints rootFpuLossProp rootFpuReductionMax rootNoiseEnabled \
    rootNumSymmetriesToSample rootPolicyOptimism rootPolicyTemperature rootPolicyTemperatureEarly \
    rootPruneUselessMoves rootSymmetryPruning searchFactorAfterOnePass searchFactorAfterTwoPass \
    staticScoreUtilityFactor subtreeValueBiasFactor subtreeValueBiasFreeProp \
    subtreeValueBiasTableNumShards subtreeValueBiasWeightExponent treeReuseCarryOverTimeFactor \
    uncertaintyCoeff uncertaintyExponent uncertaintyMaxWeight useEvalCache useGraphSearch \
    useLcbForSelection useNoisePruning useNonBuggyLcb useUncertainty valueWeightExponent \
    wideRootNoise winLossUtilityFactor";

/// Warns about the remaining fields of a query: those without meaning here, and unknown ones.
///
/// # Errors
/// KataGo would refuse the value, too.
pub(super) fn ignored(fields: &mut Fields, warnings: &mut Vec<Remark>) -> Result<(), Remark> {
    let not_supported = "Not supported by Tanada; the field is ignored";
    for name in UNAVAILABLE {
        if fields.boolean(name)? {
            warnings.push(Remark::new(name, not_supported));
        }
    }
    for name in WITHOUT_MEANING {
        if fields.take(name).is_some() {
            warnings.push(Remark::new(name, not_supported));
        }
    }
    let unknown = fields.names().take(MOST);
    warnings.extend(unknown.map(|name| unexpected(name, QUERY.split(' '))));
    let mut others = fields.names().skip(MOST);
    if let Some(name) = others.next() {
        let more = others.count();
        let text = format!("Unexpected or unused fields, this one and {more} more");
        warnings.push(Remark::new(&shorten(name, 60), text));
    }
    Ok(())
}

/// Warns about the remaining fields of an action that look misspelt. Other fields are only sent back.
pub(super) fn misspelt_in_action(fields: &Fields) -> Vec<Remark> {
    let names = fields.names().take(4 * MOST);
    let near = names.filter(|name| !ACTION.contains(name) && nearest(name, ACTION).is_some());
    near.take(MOST)
        .map(|name| unexpected(name, ACTION))
        .collect()
}

/// Whether a list has a name.
fn has(list: &str, name: &str) -> bool {
    list.split(' ').any(|known| known == name)
}

fn unexpected(name: &str, known: impl IntoIterator<Item = &'static str>) -> Remark {
    let mut text = "Unexpected or unused field, do you have a typo?".to_string();
    if let Some(other) = nearest(name, known) {
        text += &format!(" Did you mean `{other}`?");
    }
    Remark::new(&shorten(name, 60), text)
}

/// Warns about settings that are not parameters: those of KataGo, and unknown ones.
pub(super) fn unknown_settings(names: &[String]) -> Vec<Remark> {
    let is_katago = |name: &&str| has(KATAGO_SETTINGS, name);
    let names = || names.iter().map(String::as_str);
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(Remark::new("overrideSettings", text));
    if names().any(|name| is_katago(&name)) {
        let listed = listed(names().filter(is_katago), &[]);
        warn(format!("Not supported by Tanada, ignored: {listed}"));
    }
    if names().any(|name| !is_katago(&name)) {
        let own = params::PARAMETERS.iter().map(|parameter| parameter.name);
        let known: Vec<&str> = own
            .chain(SETTINGS)
            .chain(KATAGO_SETTINGS.split(' '))
            .collect();
        let listed = listed(names().filter(|name| !is_katago(name)), &known);
        warn(format!("Unknown config params: {listed}"));
    }
    warnings
}

/// Lists names, each with the known name that it may mean.
pub(super) fn listed<'a>(mut names: impl Iterator<Item = &'a str>, known: &[&str]) -> String {
    let shown = |name| match nearest(name, known.iter().copied()) {
        Some(other) => format!("{} (did you mean `{other}`?)", shorten(name, 60)),
        None => shorten(name, 60),
    };
    let first: Vec<String> = names.by_ref().take(MOST).map(shown).collect();
    match names.count() {
        0 => first.join(","),
        more => format!("{} and {more} more", first.join(",")),
    }
}

/// The end of a sentence that suggests a known name for one of these; empty without a suggestion.
pub(super) fn hint<'a>(names: impl Iterator<Item = &'a str>, known: &[&'static str]) -> String {
    let mut near = names.take(MOST).filter_map(|name| {
        let other = nearest(name, known.iter().copied())?;
        let name = shorten(name, 60);
        Some(format!("; did you mean `{other}` instead of `{name}`?"))
    });
    near.next().unwrap_or_default()
}

/// The same for a missing field: suggests one of `missing` for an unknown field.
pub(super) fn hint_at(missing: &[&'static str], fields: &Fields) -> String {
    let is_unknown = |name: &&str| !has(QUERY, name) && !ACTION.contains(name);
    hint(fields.names().filter(is_unknown), missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_known_twice() {
        let own: Vec<&str> = params::PARAMETERS.iter().map(|p| p.name).collect();
        for name in KATAGO_SETTINGS.split(' ').chain(SETTINGS) {
            assert!(!own.contains(&name), "{name}");
        }
        for name in SETTINGS {
            assert!(!has(KATAGO_SETTINGS, name), "{name}");
        }
        for name in WITHOUT_MEANING.iter().chain(&UNAVAILABLE) {
            assert!(has(QUERY, name), "{name}");
        }
    }

    #[test]
    fn unknown_settings_are_told_with_the_nearest_known_one() {
        let warnings = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            let warnings = unknown_settings(&names).into_iter();
            warnings.map(|remark| remark.message).collect::<Vec<_>>()
        };
        assert_eq!(warnings(&[]), [""; 0]);
        assert_eq!(
            warnings(&["timePerMove", "wideRootNoise", "maxvisit", "xyz"]),
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
        let map = (0..1000).map(|n| (format!("{n:04}"), serde_json::Value::Null));
        let mut warnings = Vec::new();
        ignored(&mut Fields::of(map.collect()), &mut warnings).unwrap();
        assert_eq!(warnings.len(), MOST + 1);
        let text = "Unexpected or unused fields, this one and 991 more";
        assert_eq!(warnings.last(), Some(&Remark::new("0008", text)));
    }
}
