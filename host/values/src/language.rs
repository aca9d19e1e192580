//! Languages: from a name or tag to the shortest BCP 47 tag.

use std::fmt;

use crate::text::fold;

/// Reason why a text names no language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The text is empty, or nothing but white space.
    Empty,
    /// No language is known by that name or tag.
    Unknown,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "there is no language",
            Self::Unknown => "unknown language",
        })
    }
}

impl std::error::Error for Problem {}

/// The language as a BCP 47 primary tag, with the script where readers depend on it
/// (`zh-Hans`, `zh-Hant`, `sr-Latn`): from `English`, `Deutsch`, `fre`, `eng`, `pt-BR`, `zh_CN`,
/// `français (fr)`.
///
/// ```
/// use magpie_values::language::normalise;
///
/// assert_eq!(normalise("Deutsch").unwrap(), "de");
/// assert_eq!(normalise("fre").unwrap(), "fr");
/// assert_eq!(normalise("en-US").unwrap(), "en");
/// ```
pub fn normalise(text: &str) -> Result<String, Problem> {
    /// Names of languages are short.
    const LONGEST: usize = 128;
    let text = crate::text::truncate(text, LONGEST).trim();
    if text.is_empty() {
        return Err(Problem::Empty);
    }
    let folded = fold(text);
    // Tags first: `no` and `is` are codes here, not words.
    from_tag(&folded)
        .or_else(|| from_name(&folded))
        .or_else(|| from_parts(&folded))
        .ok_or(Problem::Unknown)
}

/// The two-letter code of a language by its tag, three-letter code or name; none when unknown.
#[must_use]
pub fn primary(text: &str) -> Option<String> {
    normalise(text)
        .ok()
        .map(|tag| tag.split('-').next().unwrap_or_default().to_owned())
}

fn from_tag(folded: &str) -> Option<String> {
    let mut parts = folded.split(['-', '_']);
    let primary = parts.next().filter(|primary| matches!(primary.len(), 2 | 3))?;
    let code = code_of(primary)?;
    let script = parts.find_map(|part| script_of(code, part));
    Some(script.map_or_else(|| code.to_owned(), |script| format!("{code}-{script}")))
}

/// The line of the list where the code is the first or among the three-letter ones.
fn code_of(code: &str) -> Option<&'static str> {
    let mut lines = LANGUAGES.iter().copied();
    lines.find_map(|line| {
        let mut words = line.split(' ');
        let primary = words.next()?;
        let known = primary == code || words.take_while(|word| *word != "|").any(|word| word == code);
        known.then_some(primary)
    })
}

fn script_of(code: &str, part: &str) -> Option<&'static str> {
    match (code, part) {
        ("zh", "hans" | "cn" | "sg") => Some("Hans"),
        ("zh", "hant" | "tw" | "hk" | "mo") => Some("Hant"),
        ("sr", "latn") => Some("Latn"),
        ("sr", "cyrl") => Some("Cyrl"),
        _ => None,
    }
}

fn from_name(folded: &str) -> Option<String> {
    match folded {
        "simplified chinese" | "chinese (simplified)" | "简体中文" | "简体" => {
            return Some("zh-Hans".to_owned());
        }
        "traditional chinese" | "chinese (traditional)" | "繁體中文" | "繁体中文" => {
            return Some("zh-Hant".to_owned());
        }
        _ => {}
    }
    let is_name = |name: &str| {
        let mut pairs = name.bytes().zip(folded.bytes());
        name.len() == folded.len() && pairs.all(|(name, byte)| name == byte || (name, byte) == (b'_', b' '))
    };
    let mut lines = LANGUAGES.iter().copied();
    lines.find_map(|line| {
        let (codes, names) = line.split_once(" | ")?;
        let primary = codes.split(' ').next()?;
        names.split(' ').any(is_name).then(|| primary.to_owned())
    })
}

/// The first word of a longer text that is a language: `English (US)`, `Text: German`, `Language:
/// fr`.
fn from_parts(folded: &str) -> Option<String> {
    const MAX_WORDS: usize = 6;
    let words = folded
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.take(MAX_WORDS).find_map(|word| {
        from_name(word).or_else(|| {
            // Words of two letters within a text are more often words than codes.
            if word.len() == 3 {
                code_of(word).map(str::to_owned)
            } else {
                None
            }
        })
    })
}

/// The two-letter code, other codes, and behind the bar names in English and in the language
/// itself, also in languages whose shops name it often; folded, `_` for a space.
const LANGUAGES: &[&str] = &[
    "af afr | afrikaans",
    "ar ara | arabic arabisch arabe العربية عربي",
    "be bel | belarusian беларуская",
    "bg bul | bulgarian bulgarisch български",
    "bn ben | bengali bangla বাংলা",
    "bs bos | bosnian bosanski",
    "ca cat | catalan catala katalanisch valencia",
    "cs ces cze | czech cestina tschechisch cesky",
    "cy cym wel | welsh cymraeg",
    "da dan | danish dansk danisch",
    "de deu ger | german deutsch allemand aleman tedesco alemao duits niemiecki nemecky tysk немецкии",
    "el ell gre | greek griechisch ελληνικα",
    "en eng | english englisch anglais ingles inglese angles engels angielski anglicky anglictina engelska \
     engelsk englanti ingilizce angol engleza αγγλικα англиискии англіиська англииски tieng_anh \
     bahasa_inggris 英語 英语 영어",
    "eo epo | esperanto",
    "es spa | spanish espanol spanisch espagnol castellano spagnolo espanhol spaans hiszpanski испанскии",
    "et est | estonian eesti estnisch",
    "eu eus baq | basque euskara baskisch",
    "fa fas per pes | persian farsi persisch فارسی",
    "fi fin | finnish suomi finnisch",
    "fr fra fre | french francais franzosisch frances francese frans francuski francouzsky fransk французскии",
    "ga gle | irish gaeilge irisch",
    "gl glg | galician galego",
    "gu guj | gujarati",
    "he heb iw | hebrew hebraisch עברית",
    "hi hin | hindi हिन्दी",
    "hr hrv | croatian hrvatski kroatisch",
    "hu hun | hungarian magyar ungarisch",
    "hy hye arm | armenian հայերեն",
    "id ind in | indonesian bahasa_indonesia indonesisch",
    "is isl ice | icelandic islenska islandisch",
    "it ita | italian italiano italienisch italien italiaans wloski итальянскии",
    "ja jpn | japanese 日本語 japanisch japonais japones giapponese",
    "ka kat geo | georgian ქართული",
    "kk kaz | kazakh",
    "km khm | khmer",
    "ko kor | korean 한국어 koreanisch coreen",
    "la lat | latin latein latina",
    "lt lit | lithuanian lietuviu litauisch",
    "lv lav | latvian latviesu lettisch",
    "mk mkd mac | macedonian македонски",
    "ml mal | malayalam",
    "mn mon | mongolian",
    "mr mar | marathi",
    "ms msa may | malay bahasa_melayu",
    "my mya bur | burmese",
    "nl nld dut | dutch nederlands niederlandisch neerlandais holandes olandese flemish vlaams",
    "no nor nb nob nn nno | norwegian norsk norwegisch bokmal nynorsk",
    "pa pan | punjabi",
    "pl pol | polish polski polnisch polonais polaco",
    "pt por | portuguese portugues portugiesisch portugais portoghese",
    "ro ron rum mo | romanian romana rumanisch roumain",
    "ru rus | russian русскии russisch russe ruso russo rosyjski",
    "sk slk slo | slovak slovencina slowakisch",
    "sl slv | slovenian slovene slovenscina slowenisch",
    "sq sqi alb | albanian shqip albanisch",
    "sr srp | serbian српски srpski serbisch",
    "sv swe | swedish svenska schwedisch suedois",
    "sw swa | swahili kiswahili",
    "ta tam | tamil",
    "te tel | telugu",
    "th tha | thai ไทย",
    "tl tgl fil | tagalog filipino",
    "tr tur | turkish turkce turkisch turc",
    "uk ukr | ukrainian украінська ukrainisch",
    "ur urd | urdu",
    "uz uzb | uzbek",
    "vi vie | vietnamese tieng_viet vietnamesisch",
    "yi yid ji | yiddish jiddisch",
    "zh zho chi cmn | chinese 中文 汉语 漢語 mandarin chinesisch chinois",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tags_become_primary_tags() {
        let check = |text: &str, expected: Result<&str, Problem>| {
            assert_eq!(normalise(text), expected.map(str::to_owned), "{text:?}");
        };
        check("English", Ok("en"));
        check("Deutsch", Ok("de"));
        check("fre", Ok("fr"));
        check("eng", Ok("en"));
        check("zh-Hans", Ok("zh-Hans"));
        check("zh_TW", Ok("zh-Hant"));
        check("zh", Ok("zh"));
        check("pt-BR", Ok("pt"));
        check("Français", Ok("fr"));
        check("Русский", Ok("ru"));
        check("Українська", Ok("uk"));
        check("Ελληνικά", Ok("el"));
        check("日本語", Ok("ja"));
        check("Tiếng Việt", Ok("vi"));
        check("English (US)", Ok("en"));
        check("Language: German", Ok("de"));
        check("nb", Ok("no"));
        check("xx", Err(Problem::Unknown));
        check("Klingon", Err(Problem::Unknown));
        check("  ", Err(Problem::Empty));
        assert_eq!(primary("zh-CN").as_deref(), Some("zh"));
    }

    #[test]
    fn names_are_folded_and_unique() {
        let mut names = Vec::new();
        for line in LANGUAGES {
            let (codes, own) = line.split_once(" | ").unwrap();
            for name in own.split(' ') {
                assert_eq!(fold(name), name, "{name} is not folded");
                names.push(name);
            }
            names.extend(codes.split(' '));
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name is listed twice");
    }
}
