//! Words that say nothing about a page, by language.

/// Function words by primary language tag.
const LANGUAGES: [(&str, &str); 8] = [
    (
        "de",
        "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es für hat hatte haben ich ihr ihre im in ins ist ja kann kein keine man mehr mein meine mich mir mit nach nicht noch nun nur ob oder ohne sein seine sich sie sind so über um und uns unser unter vom von vor war waren was weil wenn wer werden wie wir wird wo zu zum zur",
    ),
    (
        "en",
        "about after all also am an and any are as at be because been before but by can could did do does for from get had has have he her here him his how if in into is it its just like me more most my new no not now of off on one only or other our out over she so some such than that the their them then there these they this to too up us use very was we were what when where which who why will with would you your",
    ),
    (
        "es",
        "al algo como con cuando de del desde donde dos el ella ellas ellos en entre era es esa ese eso esta este esto está fue ha hay hasta la las le les lo los mas más me mi muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero por porque que qué quien se ser si sin sobre son su sus también te tiene todo todos tu un una uno unos y ya yo",
    ),
    (
        "fr",
        "ai au aux avec avoir car ce ces cette comme dans de des du elle elles en entre est et eu il ils je la le les leur leurs lui ma mais me mes moi mon même ne nos notre nous on ont ou où par pas pour plus qu que qui sa sans se ses si son sont sur ta te tes toi ton tous tout très tu un une vos votre vous été être",
    ),
    (
        "it",
        "ad agli ai al alla alle anche che chi ci come con cui da dal dalla dalle dei del della delle di dove due ed era gli ha hanno il in io la le lei lo loro lui ma mi mia mio molto ne nei nel nella no noi non nostra nostro o ogni per perché più può quale quando quella quello questa questo se sei si sia solo sono sono su sua sue sui sul sulla suo tra tu tutti tutto un una uno vi voi è",
    ),
    (
        "nl",
        "aan al alle als bij dan dat de deze die dit doch door dus een en er geen haar had heb heeft hem het hier hij hoe hun ik in is ja je kan kunnen maar me meer men met mijn moet na naar niet nog nu of om omdat ons ook op over te tot uit uw van veel voor waar was wat we wel werd wie wij wil worden wordt zal ze zich zij zijn zo zou",
    ),
    (
        "pl",
        "aby albo ale bo by być co czy dla do gdzie go ich im ja jak jako je jego jej jest już ku lub ma mi mnie my na nad nie niż od on ona one oraz po pod przez przy się są ta tak tam te tego ten to tu ty tym wy za ze że",
    ),
    (
        "pt",
        "ao aos as até com como da das de dela dele do dos ela elas ele eles em entre era essa esse esta este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na nas nem no nos nossa nosso não num numa os ou para pela pelo por porque quando que quem se sem ser seu seus sua suas são só também te tem um uma você à às é",
    ),
];

/// Returns `true` for a word that says nothing in a language. Where the language is not known, or
/// has no list, the words of all lists count.
pub(super) fn is_stop_word(word: &str, language: &str) -> bool {
    let primary = language.split(['-', '_']).next().unwrap_or_default();
    let is_own = |(name, _): &&(&str, &str)| name.eq_ignore_ascii_case(primary);
    let has = |words: &str| words.split(' ').any(|stop| stop == word);
    match LANGUAGES.iter().find(is_own) {
        Some((_, words)) => has(words),
        None => LANGUAGES.iter().any(|(_, words)| has(words)),
    }
}
