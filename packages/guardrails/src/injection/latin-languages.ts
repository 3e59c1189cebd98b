import { type LanguagePhrases, words } from './phrases.ts'

const SPACED = { isLatin: true, isSpaced: true } as const

/** Phrases of the languages in Latin letters, English apart. */
export const LATIN_LANGUAGES: Readonly<Record<'de' | 'fr' | 'es' | 'pt' | 'it' | 'cs' | 'pl', LanguagePhrases>> = {
  de: {
    ...SPACED,
    override: {
      verbs:
        'ignoriere?(?:n sie)?|vergiss|vergessen sie|missachte(?:n sie)?|verwirf|verwerfen sie|ubergehe?(?:n sie)?|befolge(?:n sie)? nicht',
      fill: 'bitte|alle[rns]?|samtliche[rn]?|jegliche[rn]?|die|der|den|das|von|jetzt|ab sofort|du|dir|ihnen',
      point:
        'deine[rnm]?|ihre[rnm]?|bisherigen?|vorherigen?|vorangegangenen?|vorangehenden?|obigen?|fruheren?|ursprunglichen?|vorigen?|' +
        'bestehenden?|oben|zuvor|vorher',
      told: 'alles (?:was )?(?:oben|bisher|vorher|zuvor|davor|bis jetzt|(?:man )?dir (?:bisher |vorher )?gesagt)',
      objects:
        'anweisung(?:en)?|instruktion(?:en)?|regeln?|vorgaben?|befehle?|richtlinien?|system ?(?:prompts?|anweisungen)|prompts?|einschrankung(?:en)?',
      last: {
        link: 'nicht|komplett|vollstandig|jetzt|sofort|zu',
        verbs: 'ignorieren|vergessen|missachten|verwerfen|ubergehen|befolgen',
      },
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:zeige?|zeigen sie|nenne?|nennen sie|verrate?|verraten sie|gib|wiederhole|drucke|schreibe?|wie lautet|was ist) ' +
          '(?:(?:mir|uns|bitte|dein(?:en?)?|ihr(?:en?)?|den|die|vollstandigen?|gesamten?|kompletten?) ?){1,5}' +
          '(?:system ?prompts?|system ?anweisung(?:en)?|(?:versteckten?|geheimen?|internen?) anweisungen)',
      ],
      [
        'unbound',
        1,
        `(?:du bist (?:jetzt|nun|ab jetzt|ab sofort)|tu so als (?:warst|ob) du|verhalte dich wie) ${words(4)}` +
          '(?:ohne (?:jegliche |alle |irgendwelche )?(?:einschrankungen|beschrankungen|regeln|filter|zensur|grenzen)|unzensiert\\p{L}{0,2}|uneingeschrankt\\p{L}{0,2})',
      ],
    ],
  },
  fr: {
    ...SPACED,
    override: {
      verbs:
        'ignore[zr]?|oublie[zr]?|neglige[zr]?|ne (?:tiens|tenez) (?:pas|aucun|plus) compte|ne (?:suis|suivez) (?:pas|plus)|(?:fais|faites) abstraction',
      fill: 'toute?s?|tous|les?|la|l|des?|du|d|ci|mes|ces|qui|precede(?:nt)?|plait|sil te|sil vous|donnees',
      point:
        'precedente?s?|precedemment|anterieure?s?|tes|vos|dessus|initiale?s?|initiaux|systeme|dorigine|originales|avant',
      told: '(?:tout )?ce (?:qui precede|quon (?:ta|vous a) dit|que on (?:ta|vous a) dit)|tout (?:ce qui est )?(?:avant|ci dessus|au dessus)',
      objects: 'instructions?|consignes?|regles?|directives?|ordres?|prompts?|restrictions?',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:montre|revele|affiche|donne|repete|divulgue|ecri[st]|di[st]|quel est|quelles sont)(?:z|s)? ?(?:moi )?(?:(?:ton|votre|tes|vos|le|les|moi|nous) ?){1,3}' +
          '(?:prompt (?:systeme|initial|cache)|instructions (?:systeme|initiales|cachees|internes|secretes))',
      ],
      [
        'unbound',
        1,
        `(?:tu es|vous etes) (?:maintenant|desormais) ${words(4)}sans (?:aucune |la moindre )?(?:restrictions?|limites?|limitations?|filtres?|censure|regles)`,
      ],
    ],
  },
  es: {
    ...SPACED,
    override: {
      verbs:
        'ignor[ae](?:r|d|n)?|olvid[ae](?:r|d|te|te de)?|descarta|desestima|omite|no (?:sigas|siga|hagas caso (?:a|de)|obedezcas)',
      fill: 'tod[ao]s?|las?|los|el|de|que|cualquier|mis|estas|por favor',
      point:
        'anteriore?s?|previ[ao]s?|tus?|sus|iniciale?s?|originale?s?|del sistema|arriba|precedentes?|dadas? antes|antes',
      told: 'todo lo (?:anterior|de arriba|dicho|que te)|lo que te (?:dijeron|han dicho|hayan dicho|ordenaron)',
      objects:
        'instruccion(?:es)?|reglas?|indicacion(?:es)?|ordenes|directrices|directivas|prompts?|restricciones|normas',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:muestra|muestrame|revela|revelame|dime|repite|imprime|ensename|cual es|cuales son|dame|escribe) (?:(?:tus?|sus?|el|las|los|me) ?){1,3}' +
          '(?:prompt (?:del? sistema|inicial|oculto)|instrucciones (?:del sistema|iniciales|ocultas|internas|secretas))',
      ],
      [
        'unbound',
        1,
        `(?:ahora eres|eres ahora|a partir de ahora eres|desde ahora eres) ${words(4)}sin (?:ningun[ao]? )?(?:restriccion(?:es)?|limites|limitaciones|filtros|censura|reglas)`,
      ],
    ],
  },
  pt: {
    ...SPACED,
    override: {
      verbs: 'ignor[ae]r?|esqueca|esquece|desconsidere|descarte|despreze|nao (?:siga|sigas|obedeca|cumpra)',
      fill: 'tod[ao]s?|as?|os?|de|das|quaisquer|minhas|estas|por favor',
      point: 'anterior(?:es)?|previ[ao]s?|suas?|tuas?|iniciais|inicial|originais|do sistema|acima|precedentes|antes',
      told: 'tudo (?:o )?que (?:foi dito|(?:te|lhe) (?:foi dito|disseram)|veio antes|esta acima)|tudo acima',
      objects: 'instruc(?:ao|oes)|regras?|ordens|diretrizes|orientac(?:ao|oes)|comandos|prompts?|restric(?:ao|oes)',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:mostre|mostra|revele|revela|diga|repita|imprima|exiba|qual e|quais sao|escreva) (?:(?:me|os?|as?|seus?|suas?|teus?|tuas?) ?){1,3}' +
          '(?:prompt (?:d[oe] sistema|inicial|oculto)|instrucoes (?:do sistema|iniciais|ocultas|internas|secretas))',
      ],
      [
        'unbound',
        1,
        `(?:voce agora e|agora voce e|a partir de agora voce e) ${words(4)}sem (?:quaisquer |nenhuma |qualquer )?(?:restric(?:oes|ao)|limites|limitacoes|filtros|censura|regras)`,
      ],
    ],
  },
  it: {
    ...SPACED,
    override: {
      verbs: 'ignora(?:re|te)?|dimentica(?:re|ti|te)?|trascura|scarta|tralascia|non (?:seguire|considerare|rispettare)',
      fill: 'tutt[eio]|le|gli|i|il|lo|di|delle|ogni|mie|queste|per favore',
      point: 'precedent[ei]|anterior[ei]|tue|tuoi|tuo|sue|iniziali|originali|di sistema|sopra|prima',
      told: 'tutto (?:quello|cio) che (?:ti (?:e stato|hanno) detto|precede|e scritto sopra)|tutto (?:quanto )?(?:il )?(?:sopra|precedente)',
      objects: 'istruzion[ei]|regol[ae]|direttiv[ae]|ordini|indicazioni|prompt|comandi|restrizioni|linee guida',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:mostra|mostrami|rivela|rivelami|dimmi|ripeti|stampa|qual e|quali sono|scrivi) (?:(?:mi|il|le|tuo|tue|suo|sue) ?){1,3}' +
          '(?:prompt (?:di sistema|iniziale|nascosto)|istruzioni (?:di sistema|iniziali|nascoste|interne|segrete))',
      ],
      [
        'unbound',
        1,
        `(?:ora sei|adesso sei|da ora in poi sei|dora in poi sei) ${words(4)}senza (?:alcun[ao]? |nessun[ao]? )?(?:restrizion[ei]|limiti|limitazioni|filtri|censura|regole)`,
      ],
    ],
  },
  cs: {
    ...SPACED,
    override: {
      verbs:
        'ignoruj(?:te)?|zapomen(?:te)?|nedbej(?:te)?|neri[dt](?:te)? se|zahod(?:te)?|opomin(?:te)?|prestan(?:te)? (?:se ridit|dodrzovat|poslouchat)',
      fill: 'na|vsechn[aoy]|vsech|vsemi|vsem|ty|ta|tyto|prosim|veskere',
      point:
        'predchozi(?:ch|mi|m)?|drivejsi(?:ch|mi)?|predesl[aey](?:ch|mi)?|puvodni(?:ch|mi)?|sva|sve|svoje|tvoje|tve|vase|vyse uveden[eay](?:ch)?|systemov[aey](?:ch)?|dosavadni(?:ch)?',
      told: '(?:na )?vsechno (?:co (?:ti bylo receno|ti rekli|bylo (?:receno|predtim|vyse)|je vyse)|predchozi|vyse)',
      objects:
        'instrukc[ei](?:mi)?|pokyn(?:y|u|ech|um)?|pravid(?:la|el|ly)|prikaz(?:y|u)?|zadani|omezeni|prompt(?:y|u)?|smernic[ei]',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:ukaz|ukazte|vypis|vypiste|prozrad|prozradte|rekni|zopakuj|zobraz|jaky je|jake jsou|napis) (?:(?:mi|svuj|svoje|sve|tvuj|tvoje|cely|cele|vas|vase) ?){1,3}' +
          '(?:systemovy prompt|(?:systemove|skryte|puvodni|interni) (?:instrukce|pokyny))',
      ],
      [
        'unbound',
        1,
        `(?:nyni jsi|ted jsi|od ted jsi|od nynejska jsi|odted jsi) ${words(4)}bez (?:jakychkoliv? |vsech )?(?:omezeni|filtru|cenzury|pravidel)`,
      ],
    ],
  },
  pl: {
    ...SPACED,
    override: {
      verbs: 'z?ignoruj(?:cie)?|zapomnij|pomin|odrzuc|zlekcewaz|nie (?:przestrzegaj|stosuj sie do|zwazaj na)',
      fill: 'o|wszystkie|wszystkich|wszelkie|te|tych|prosze|na|moje',
      point:
        'poprzedni(?:e|ch|mi)|wczesniejsz(?:e|ych)|powyzsz(?:e|ych)|two(?:je|ich)|swo(?:je|ich)|pierwotn(?:e|ych)|oryginalne|dotychczasow(?:e|ych)|systemow(?:e|ych)',
      told: '(?:o )?wszystk(?:im|o) (?:co (?:bylo (?:wczesniej|powyzej)|ci powiedziano)|powyzej|powyzsze)',
      objects:
        'instrukcj(?:e|i|ach)|polecen(?:ia|iach)?|zasad(?:y|ach)?|regul(?:y|ach)?|wytyczn(?:e|ych)|prompt(?:y|u)?|ograniczen(?:ia)?',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:pokaz|ujawnij|wyswietl|podaj|powtorz|wypisz|zdradz|jaki jest|jakie sa) (?:(?:mi|swoj|swoje|twoj|twoje|caly|pelny) ?){1,3}' +
          '(?:prompt systemowy|systemowy prompt|instrukcje systemowe|(?:ukryte|poczatkowe|systemowe) instrukcje)',
      ],
      [
        'unbound',
        1,
        `(?:jestes teraz|teraz jestes|od teraz jestes|od tej pory jestes) ${words(4)}bez (?:zadnych |jakichkolwiek )?(?:ograniczen|filtrow|cenzury|zasad|regul)`,
      ],
    ],
  },
}
