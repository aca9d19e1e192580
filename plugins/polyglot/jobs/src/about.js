/** Cheap checks if a page may have offers at all. Reading it closely takes longer. */

import { namesGenders } from "./facts.js";
import { dictionary, fold } from "./words.js";

const ADDRESS = /job|career|karriere|carriere|vacanc|stelle|emploi|offre|recruit|vacature|empleo/i;

const WORDS = /\b(jobs?|vacanc\w+|careers?|(open )?positions?|openings|hiring|work with us|join us|stellen\w*|jobborse|karriere|bewerbung\w*|offres?|emplois?|recrut\w+|carrieres?|vacatures?|empleos?)\b/;

const isInvitation = dictionary({
  yes: `apply, apply now, apply online, apply for this job, apply here, send application, send your application,
    bewerben, jetzt bewerben, online bewerben, zur bewerbung, bewerbung senden,
    postuler, postuler en ligne, postuler maintenant, je postule, candidater, envoyer ma candidature,
    solliciteer, solliciteer nu, solliciteer direct, inscribirme`,
});

/** Returns true if the URL is about jobs. */
export function addressSpeaks(page) {
  return ADDRESS.test(page.url);
}

/** Returns true if the URL, title or heading is about jobs. */
export function headSpeaks(page) {
  const head = `${page.title ?? ""} ${page.first("h1")?.text ?? ""}`;
  return addressSpeaks(page) || namesGenders(head) || WORDS.test(fold(head));
}

/** Maximum length of the text of an apply button. */
const LONGEST = 40;

/** Returns true if the page has a link or button to apply. */
export function invites(page) {
  const buttons = page.table("a, button, input[type=submit]", { text: "", value: ["", "@value"] });
  return buttons.flatMap(({ text, value }) => [text, value]).some(
    (reading) => reading !== null && reading.value.length <= LONGEST && isInvitation(reading.value) !== null,
  );
}
