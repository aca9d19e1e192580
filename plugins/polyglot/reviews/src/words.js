/** Vocabularies. Each matches whole words of text in lower case without accents. */

/** Names of reviews, as in headings and paths. */
export const REVIEW = /\b(reviews?|reviewed|tested|hands-on|kritik|rezension(en)?|besprechung|testbericht|im test|erfahrungsbericht|critique|chronique|avis sur|notre avis|resena|critica|analisis)\b/;

/** Words of a summary of opinions. */
export const VERDICT = /\b(verdict|conclusion|bottom line|pros|cons|recommend(ed)?|disappoint\w+|fazit|urteil|unser eindruck|empfehl\w+|enttausch\w+|verdict|nous recommandons|en bref|points forts|points faibles|conclusion|recomend\w+|veredicto|lo mejor|lo peor)\b/;

/** A rating in words or stars. */
export const RATING = /★|☆|\b\d([.,]\d)?\s?(\/|out of|von|sur|de)\s?(5|6|10|100)\b|\b(rating|score|wertung|note|puntuacion)\s?:?\s?\d/;

/** Words of a shop. */
export const SALE = /\b(add to (cart|basket|bag)|buy now|in den warenkorb|jetzt kaufen|ajouter au panier|anadir al carrito)\b/;

/** Text in lower case and without accents. */
export function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
