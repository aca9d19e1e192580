/** An error in a declaration, whose message needs no error name before it. */
class DeclarationError extends TypeError {
  sentence = true;
}

/** Throws an error about the author's declaration unless a condition holds. */
export function check(holds, sentence) {
  if (!holds) throw new DeclarationError(sentence);
}
