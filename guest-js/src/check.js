/** Throws a sentence about the author's declaration unless something holds. */
export function check(holds, sentence) {
  if (!holds) throw new TypeError(sentence);
}
