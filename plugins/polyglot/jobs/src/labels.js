/** Labels before values, in several languages. */

import { dictionary } from "./words.js";

/** Labels of each attribute, as `fold` returns them. */
const LABELS = {
  title: `title, job title, position, vacancy, role, job, stelle, stellenbezeichnung, stellentitel, bezeichnung, beruf,
    poste, intitule, intitule du poste, offre, metier, puesto, functie`,
  employer: `company, employer, organisation, organization, hiring organisation, company name, recruiter, about the employer,
    arbeitgeber, unternehmen, firma, betrieb, einrichtung,
    entreprise, employeur, societe, structure, recruteur, organisme,
    empresa, bedrijf, werkgever, organisatie`,
  place: `location, place, job location, place of work, workplace, based in, city, office, where,
    ort, arbeitsort, standort, einsatzort, dienstort, arbeitsplatz,
    lieu, lieu de travail, localisation, ville, lieu du poste, poste base a,
    lugar, ubicacion, locatie, standplaats, plaats`,
  employmentType: `employment type, job type, contract, contract type, type of contract, type, hours, working hours, position type, working pattern,
    anstellungsart, beschaftigungsart, vertragsart, arbeitszeit, art der anstellung, stellenart, umfang, beschaftigung,
    contrat, type de contrat, type d emploi, temps de travail, type de poste, duree,
    tipo de contrato, jornada, dienstverband, contracttype`,
  salary: `salary, pay, wage, rate, salary range, annual salary, hourly rate, compensation, remuneration, starting salary, pay range,
    gehalt, lohn, vergutung, verdienst, jahresgehalt, entgelt, bezahlung, stundenlohn, besoldung,
    salaire, remuneration brute, salaire brut, salaire annuel, salario, salaris`,
  posted: `posted, date posted, posted on, published, publication date, listed, advertised, online since,
    veroffentlicht, veroffentlicht am, eingestellt am, online seit, datum, erschienen am, ausgeschrieben am,
    publie, publiee, publie le, publiee le, date de publication, mise en ligne, mise en ligne le, publicado, geplaatst`,
  validThrough: `apply by, closing date, deadline, application deadline, closes, closes on, applications close, valid until, expires, apply before,
    bewerbungsfrist, bewerbungsschluss, bewerben bis, frist, gultig bis, bewerbung bis,
    date limite, date limite de candidature, candidature avant le, postuler avant le, jusqu au, cloture, fecha limite, sluitingsdatum`,
  reference: `reference, ref, job reference, reference number, job id, job number, vacancy number, requisition id, vacancy id, job ref,
    referenz, referenznummer, kennziffer, stellennummer, stellen id, kennzahl, ausschreibungsnummer, job nr,
    reference de l offre, numero de l offre, n de l offre, referencia, vacaturenummer`,
  remote: `remote, home office, homeoffice, remote working, working model, work mode, workplace type,
    arbeitsmodell, mobiles arbeiten, teletravail, mode de travail, thuiswerken`,
  start: `start date, starting, start, starts, eintritt, eintrittsdatum, beginn, ab, starttermin, date de debut, debut, prise de poste`,
};

const meaning = dictionary(LABELS);

/** Maximum length of a label. */
const LONGEST = 40;

/** Returns the attribute of a label, or null for other texts. */
export function attributeOf(label) {
  return label.length > LONGEST ? null : meaning(label);
}
