/** What is wrong with a declaration, in words that need no name of an error before them. */
class DeclarationError extends TypeError {
  sentence = true;
}

/** Throws a sentence about the author's declaration unless something holds. */
export function check(holds, sentence) {
  if (!holds) throw new DeclarationError(sentence);
}
