/** Whether a page may have offers at all, by what is quickly seen; reading it closely takes longer. */

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

/** Whether its address says so. */
export function addressSpeaks(page) {
  return ADDRESS.test(page.url);
}

/** Whether its address, title or heading says so. */
export function headSpeaks(page) {
  const head = `${page.title ?? ""} ${page.first("h1")?.text ?? ""}`;
  return addressSpeaks(page) || namesGenders(head) || WORDS.test(fold(head));
}

/** Longer than any invitation. */
const LONGEST = 40;

/** Whether there is something to press for those who want the job. */
export function invites(page) {
  const buttons = page.table("a, button, input[type=submit]", { text: "", value: ["", "@value"] });
  return buttons.flatMap(({ text, value }) => [text, value]).some(
    (reading) => reading !== null && reading.value.length <= LONGEST && isInvitation(reading.value) !== null,
  );
}
