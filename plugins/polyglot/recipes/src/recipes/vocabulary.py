"""Words for the parts of a recipe, in about thirty languages."""

import re


def words(text: str) -> frozenset[str]:
    """Splits words and phrases at bars."""
    return frozenset(word.strip() for word in text.split("|"))


# Headings of the list of ingredients.
INGREDIENTS = words(
    "ingredients | ingredient list | ingredients list | ingredients needed | the ingredients | you will need |"
    " you'll need | what you need | what you'll need | shopping list |"
    " zutaten | die zutaten | zutatenliste | ingrédients | les ingrédients | liste des ingrédients | ingredientes |"
    " ingredienti | gli ingredienti | ingrediënten | benodigdheden | ingredienser | ingrediënt | ingredienserne |"
    " dette skal du bruge | du skal bruge | dette trenger du | du trenger | ainekset | ainesosat | raaka-aineet |"
    " składniki | składniki na | ingrediencie | suroviny | přísady | ingredience | hozzávalók | alapanyagok |"
    " sastojci | sestavine | ingredient(e) | ingrediente | съставки | необходими продукти | продукты | ингредиенты |"
    " состав | інгредієнти | υλικά | τα υλικά | malzemeler | malzemesi | bahan | bahan-bahan | nguyên liệu | 材料 |"
    " 用料 | 食材 | 原料 | 재료 | المكونات | المقادير | מצרכים | מרכיבים |"
    " sudedamosios dalys | sastāvdaļas | koostisosad"
)

# Headings of the steps.
INSTRUCTIONS = words(
    "instructions | directions | method | the method | preparation | how to make it | steps | step by step |"
    " procedure |"
    " cooking instructions | cooking method | what to do | how to make | how to cook | recipe instructions | make it |"
    " preparation steps | zubereitung | die zubereitung | anleitung | schritte | so geht's | zubereitungsschritte |"
    " préparation | la préparation | étapes | les étapes | réalisation | instructions de préparation | recette |"
    " preparación | elaboración | elaboración paso a paso | instrucciones | pasos | modo de preparo | preparo |"
    " modo de preparação | preparação | procedimento | preparazione | istruzioni | come fare | bereiding |"
    " bereidingswijze | zo maak je het | instructies | werkwijze | aan de slag | fremgangsmåde |"
    " sådan gør du | slik gjør du | tilberedning | gör så här | instruktioner | ohje | valmistus | valmistusohje |"
    " przygotowanie | sposób przygotowania | wykonanie | wskazówki | postup | postup prípravy | příprava | príprava |"
    " elkészítés | elkészítése | priprema | postopek | mod de preparare | preparare | начин на приготвяне |"
    " приготовление | способ приготовления | приготування | εκτέλεση | οδηγίες | διαδικασία | yapılışı | hazırlanışı |"
    " cara membuat | langkah | cách làm | 作り方 | 做法 | 步骤 | 만드는 법 | 조리순서 | طريقة التحضير | אופן הכנה |"
    " paruošimas | gaminimas | pagatavošana | valmistamine"
)

# Headings that end both.
OTHERS = words(
    "notes | note | recipe notes | nutrition | nutrition facts | nutrition information | nutritional information |"
    " equipment | video | tips | tip | comments | related recipes | you may also like | more recipes |"
    " similar recipes |"
    " share | tags | storage | variations | faq | about | description | reviews | ratings | newsletter | nährwerte |"
    " tipps | kommentare | notizen | remarques | astuces | commentaires | notas | consejos | dicas | comentarios |"
    " comentários | note e consigli | consigli | tips & tricks | voedingswaarden | næringsindhold | tipy | komentáře |"
    " komentarze | wartości odżywcze | megjegyzés | σημειώσεις | filed under | leave a reply |"
    " did you make this recipe?"
)

# Words in classes and ids of elements with ingredients; matched anywhere.
INGREDIENT_CLASS = re.compile(
    r"ingr[eé]d|zutat|sk[lł]adnik|surovin|hozzaval|ainesosa|malzeme|sastojc|sestavin|bahan|benodigd|yl[iy]ka",
    re.IGNORECASE,
)

# Words in classes and ids of elements with steps.
INSTRUCTION_CLASS = re.compile(
    r"instruction|direction|method|preparation|preparo|preparazion|procedure|zubereit|elabora[cç]|bereiding"
    r"|fremgang|instrucc|instruc[tț]|postup|elkeszit|wykonanie|przygotow|recipe[-_]?steps?|steps?[-_]?(?:list|text|body)",
    re.IGNORECASE,
)

# Classes of elements around a recipe: the first word of a name, or the second after a common first
# word.
AROUND_CLASS = re.compile(
    r"(?:^|\s)(?:site|page|post|entry|primary|main|mobile|wp|recipe)?[-_]*"
    r"(?:comments?|respond|sidebar|related|newsletter|breadcrumbs?|cookies?|footer|popup|modal|shar(?:e|ing)|social"
    r"|carousel|nav|navigation|menu|toc|faqs?|promo|ads?|signup|subscribe)(?:$|[\s_-])"
    r"|(?:^|[\s_-])(?:nutrition|equipment)",
    re.IGNORECASE,
)

# Class of the name of a recipe.
NAME_CLASS = re.compile(
    r"(?:^|[\s_-])(?:recipes?|rezept|recette|receta|receita|ricetta|opskrift|recept|przepis)"
    r"[-_]{0,2}(?:header[-_]*|card[-_]*|main[-_]*)?(?:name|title|titel|titre|titulo|heading|headline)(?:$|\s)",
    re.IGNORECASE,
)

# Labels of times and yield.
LABELS = {
    "prep_time": words(
        "prep time | prep | preparation time | preparation | hands-on time | active time | vorbereitungszeit |"
        " arbeitszeit | zubereitungszeit | temps de préparation | préparation | tiempo de preparación |"
        " tempo de preparo | tempo de preparação | tempo di preparazione | preparazione | voorbereidingstijd |"
        " bereidingstijd | forberedelsestid | förberedelsetid | czas przygotowania | príprava | příprava |"
        " doba přípravy | előkészítés | προετοιμασία"
    ),
    "cook_time": words(
        "cook time | cook | cooking time | cooking | bake time | baking time | kochzeit | backzeit | garzeit |"
        " koch-/backzeit | temps de cuisson | cuisson | tiempo de cocción | tempo de cozimento | tempo de cozedura |"
        " tempo di cottura | cottura | kooktijd | baktijd | oventijd | tilberedningstid | bagetid | koketid |"
        " czas gotowania | czas pieczenia | doba varenia | doba pečení | főzési idő | sütési idő | μαγείρεμα"
    ),
    "total_time": words(
        "total time | total | ready in | time | gesamtzeit | temps total | tiempo total | tempo total | tempo totale |"
        " totale tijd | tid i alt | samlet tid | total tid | czas całkowity | celkový čas | teljes idő |"
        " συνολικός χρόνος"
    ),
    "servings": words(
        "servings | yield | yields | serves | makes | number of servings | portions | portionen | für | ergibt |"
        " pour | nombre de personnes | personnes | porciones | raciones | rendimento | porções | porzioni | dosi per |"
        " personen | aantal personen | antal personer | antal | porsjoner | portioner | porcje | liczba porcji |"
        " porcie | počet porcií | porce | počet porcí | adag | μερίδες"
    ),
}
