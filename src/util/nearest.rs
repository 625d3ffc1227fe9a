//! The known name that a misspelt word most likely meant.

/// Words longer than this, in bytes, are no misspelt names, and comparing them takes time.
const LONGEST: usize = 64;

/// The candidate that `word` most likely meant: the one that the fewest insertions, deletions,
/// replacements and swaps of neighbouring letters turn it into, regardless of case. The first of
/// several. `None` if each is more than a third of its letters away.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let count = word.chars().count();
    let edits = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    let near = candidates.into_iter().filter_map(|candidate| {
        let most = count.max(candidate.chars().count()).max(3) / 3;
        let edits = edits(candidate);
        (edits <= most && edits < count).then_some((edits, candidate))
    });
    near.min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// How an error about an unknown name goes on if one of the candidates was most likely meant.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|name| format!("; did you mean `{name}`?"))
}

/// How an error about an unknown name goes on: with the name that was meant, or else with all of
/// `names`, at least one.
pub fn hint(word: &str, names: &[&str]) -> String {
    did_you_mean(word, names.iter().copied()).unwrap_or_else(|| match names {
        [others @ .., last] if !others.is_empty() => {
            format!(", expected {} or {last}", others.join(", "))
        }
        names => format!(", expected {}", names.join("")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_found() {
        let names = [
            "time_per_move",
            "threads",
            "ponder",
            "resign",
            "cpuct",
            "size",
        ];
        for (word, name) in [
            ("time-per-move", Some("time_per_move")),
            ("Threads", Some("threads")),
            ("thread", Some("threads")),
            ("pnoder", Some("ponder")),
            ("sise", Some("size")),
            ("cpcut", Some("cpuct")),
            ("komi", None),
            ("", None),
            ("x", None),
            ("abc", None),
        ] {
            assert_eq!(nearest(word, names), name, "{word}");
        }
        assert_eq!(nearest("ab", ["abd", "abc"]), Some("abd"));
        assert_eq!(nearest(&"s".repeat(1 << 20), names), None);
        assert_eq!(nearest("word", []), None);
    }

    #[test]
    fn a_hint_names_what_was_meant_or_all_names() {
        let names = ["tanbo", "taratibu"];
        assert_eq!(hint("tambo", &names), "; did you mean `tanbo`?");
        assert_eq!(hint("go", &names), ", expected tanbo or taratibu");
        assert_eq!(hint("go", &["a1", "b1", "c1"]), ", expected a1, b1 or c1");
        assert_eq!(hint("go", &["tanbo"]), ", expected tanbo");
    }
}
