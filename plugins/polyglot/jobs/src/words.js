/** Words of many spellings: folding, and looking up which of some meanings a text names. */

/** Longer phrases than this are in no vocabulary. */
const LONGEST_PHRASE = 4;

/** Lower case, without accents and signs: "Référence :" is "reference". */
export function fold(text) {
  return plain(text.toLowerCase()).replace(BETWEEN_WORDS, " ").trim();
}

/** Everything below the letters beyond ASCII that is no letter or digit, and the dashes and quotes above them. */
const BETWEEN_WORDS = /[^a-z0-9\u00c0-\u1fff\u2070-\uffff]+/g;

const ONLY_ASCII = /^[\x00-\x7f]*$/;

/** Without accents. Most texts have none, and to find that out is quick. */
function plain(text) {
  if (ONLY_ASCII.test(text)) return text;
  return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replaceAll("ß", "ss");
}

/**
 * A function that tells which meanings a text names, in the order given here. The vocabulary has
 * for each meaning its phrases, folded, with commas between.
 *
 * @param {Record<string, string>} meanings
 * @returns {(text: string) => string[]}
 */
export function vocabulary(meanings) {
  const byPhrase = phrasesOf(meanings);
  const all = Object.keys(meanings);
  return (text) => {
    const named = new Set(phrases(text).map((phrase) => byPhrase.get(phrase)));
    return all.filter((meaning) => named.has(meaning));
  };
}

/** A function that tells what a text as a whole means; null when that is nothing. */
export function dictionary(meanings) {
  const byPhrase = phrasesOf(meanings);
  return (text) => byPhrase.get(fold(text)) ?? null;
}

function phrasesOf(meanings) {
  const entries = Object.entries(meanings);
  return new Map(entries.flatMap(([meaning, list]) => list.split(",").map((phrase) => [phrase.trim(), meaning])));
}

/** A text is asked for several meanings one after the other. */
const last = { text: null, phrases: [] };

/** One word, two words … of a text, folded. */
function phrases(text) {
  if (last.text === text) return last.phrases;
  const words = fold(text).split(" ");
  const found = [];
  for (let start = 0; start < words.length; start += 1) {
    let phrase = "";
    for (const word of words.slice(start, start + LONGEST_PHRASE)) {
      phrase = phrase === "" ? word : `${phrase} ${word}`;
      found.push(phrase);
    }
  }
  Object.assign(last, { text, phrases: found });
  return found;
}
