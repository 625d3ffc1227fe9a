//! Suggests a known name for a misspelt one.

/// The longest word that is compared, in bytes: longer ones are not misspelt names, and slow.
const LONGEST: usize = 64;

/// The first candidate with the fewest edits from `word`, regardless of case. An edit is an
/// insertion, a deletion, a replacement or a swap of neighbouring letters. `None` if all candidates
/// need edits for more than a third of the letters.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
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

/// The end of an error about an unknown name, if a candidate is similar to it.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|name| format!("; did you mean `{name}`?"))
}

/// The end of an error about an unknown name: the name that was probably meant, or else all of
/// `names`, of which there is at least one.
pub(crate) fn hint(word: &str, names: &[&str]) -> String {
    did_you_mean(word, names.iter().copied()).unwrap_or_else(|| match names {
        [others @ .., last] if !others.is_empty() => {
            format!(": expected {} or {last}", others.join(", "))
        }
        names => format!(": expected {}", names.join("")),
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
        assert_eq!(hint("go", &names), ": expected tanbo or taratibu");
        assert_eq!(hint("go", &["a1", "b1", "c1"]), ": expected a1, b1 or c1");
        assert_eq!(hint("go", &["tanbo"]), ": expected tanbo");
    }
}
