/** Folds words, and finds the meanings of phrases. */

/** Maximum number of words of a phrase. */
const LONGEST_PHRASE = 4;

/**
 * Folds a text to lower case without accents and punctuation: "Référence :" becomes "reference".
 */
export function fold(text) {
  return plain(text.toLowerCase()).replace(BETWEEN_WORDS, " ").trim();
}

/**
 * Separators of words: ASCII and Latin-1 characters that are not letters or digits, and punctuation
 * of the block U+2000 to U+206F.
 */
const BETWEEN_WORDS = /[^a-z0-9\u00c0-\u1fff\u2070-\uffff]+/g;

const ONLY_ASCII = /^[\x00-\x7f]*$/;

/** Removes accents. Most texts have none, which is cheap to check. */
function plain(text) {
  if (ONLY_ASCII.test(text)) return text;
  return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replaceAll("ß", "ss");
}

/**
 * Returns a function that finds the meanings in a text, in the order of `meanings`. Each meaning has
 * its phrases, folded and separated by commas.
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

/** Returns a function that finds the meaning of a whole text, or null. */
export function dictionary(meanings) {
  const byPhrase = phrasesOf(meanings);
  return (text) => byPhrase.get(fold(text)) ?? null;
}

function phrasesOf(meanings) {
  const entries = Object.entries(meanings);
  return new Map(entries.flatMap(([meaning, list]) => list.split(",").map((phrase) => [phrase.trim(), meaning])));
}

/** Cache of the last text, as several meanings of one text are looked up in sequence. */
const last = { text: null, phrases: [] };

/** Returns all phrases of one, two … words of a text, folded. */
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
