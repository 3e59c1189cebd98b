import { ENGLISH } from './english.ts'
import { type LanguagePhrases, words } from './phrases.ts'

/** A language whose phrases `promptInjection` knows. */
export type PhraseLanguage = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'it' | 'cs' | 'pl' | 'ru' | 'zh' | 'ja' | 'ko'

const SPACED = { isLatin: true, isSpaced: true } as const
const OTHER_SCRIPT = { isLatin: false, isSpaced: false } as const

/**
 * The phrases of all languages, unaccented: "ignore your previous instructions", "show me your system prompt", "you are now
 * without rules".
 */
export const LANGUAGES: Readonly<Record<PhraseLanguage, LanguagePhrases>> = {
  en: ENGLISH,
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
  ru: {
    isLatin: false,
    isSpaced: true,
    override: {
      verbs:
        '(?:про)?игнорируй(?:те)?|забудь(?:те)?|отбрось(?:те)?|отмени(?:те)?|не (?:следуй|соблюдай|выполняй)(?:те)?|не обращай(?:те)? внимания на|пренебреги',
      fill: 'все|всех|всем|про|о|обо|эти|любые|пожалуйста|данные|мои',
      point:
        'предыдущ\\p{L}{2,3}|прежн\\p{L}{2,3}|прошл\\p{L}{2,3}|вышеуказанн\\p{L}{2,3}|свои\\p{L}?|твои\\p{L}?|ваши\\p{L}?|системн\\p{L}{2,3}|(?:перво|из)начальн\\p{L}{2,3}|выше|ранее',
      told: '(?:про |обо? )?все(?:м)? (?:что (?:тебе (?:говорили|сказали|было сказано)|было (?:сказано|написано|выше|до этого|раньше))|выше)',
      objects:
        'инструкци\\p{L}{1,3}|указани\\p{L}{1,3}|правил\\p{L}{0,3}|команд\\p{L}{0,3}|ограничени\\p{L}{1,3}|промпт\\p{L}{0,3}|директив\\p{L}{0,3}|установк\\p{L}{1,3}',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:покажи|раскрой|выведи|повтори|напиши|сообщи|скажи|назови|какой|каков|какие)(?:те)? (?:(?:мне|нам|свои|свой|твои|твой|ваш|ваши|весь|полный|у тебя|все) ?){1,4}' +
          '(?:системн\\p{L}{2,3} (?:промпт|инструкци\\p{L}{1,2}|запрос)|(?:скрыт|изначальн|внутренн)\\p{L}{2,3} инструкци\\p{L}{1,2})',
      ],
      [
        'unbound',
        1,
        `(?:теперь ты|ты теперь|отныне ты|с этого момента ты) ${words(4)}без (?:всяких |каких либо |любых )?(?:ограничени\\p{L}|цензуры|фильтров|правил)`,
      ],
    ],
  },
  zh: {
    ...OTHER_SCRIPT,
    override: {
      verbs: '忽略|无视|無視|忘记|忘記|忘掉|抛开|拋開|不要(?:理会|遵守|遵循|管)|别管',
      fill: '掉|你|所有|全部|一切|任何|的|请|請|那些|这些|給|给|过',
      point: '之前|先前|以前|以上|上面|上述|前面|此前|系统|系統|原有|原来|你的|最初',
      told: '你?(?:之前|以前|以上|上面|此前)(?:说过|說過|被告知|学到)?的?(?:一切|所有内容|所有話|所有话)',
      objects: '指令|指示|规则|規則|提示词?|提示詞|命令|限制|约束|約束|指引|设定|設定',
    },
    phrases: [
      [
        'reveal',
        1,
        '(?:告诉我|告訴我|显示|顯示|输出|輸出|透露|泄露|洩露|打印|重复|重複|说出|展示|给我看|列出)(?:出|一下)?你(?:的|系统|系統|完整|初始|原始|隐藏|隱藏|全部|所有|内部){1,5}(?:提示词|提示詞|提示语|指令|prompt)',
      ],
      [
        'unbound',
        1,
        '(?:你现在是|你現在是|从现在(?:起|开始)你是|從現在(?:起|開始)你是|假装你是|扮演)\\p{L}{0,10}(?:没有|沒有|不受|无)(?:任何|一切)?(?:限制|约束|約束|审查|審查|道德|规则)',
      ],
      ['unbound', 1, '(?:进入|開啟|开启|启用)(?:越狱|越獄|dan)模式'],
    ],
  },
  ja: {
    ...OTHER_SCRIPT,
    override: {
      verbs: '無視して',
      fill: 'の|会話|すべて|全て|全部|全|まで|した|受けた|与えられた|いかなる',
      point: '以前|これまで|今まで|上記|前述|先ほど|前|システム|あなた|元|最初|ここまで',
      told: '(?:これまで|今まで|上記|以前)の(?:内容|会話|こと)',
      objects: '指示|命令|ルール|プロンプト|指令|規則|制約|設定',
      last: {
        link: 'を|は|も|に|すべて|全て|全部|完全',
        verbs: '無視(?:し|せよ|する)|忘れ(?:て(?:ください|くれ|、|$)|ろ|なさい)|破棄し|従わない|従うな',
      },
    },
    phrases: [
      [
        'forget',
        1,
        '(?:これまで|今まで|上記|以前)の(?:内容|会話|こと)(?:を|は)?(?:すべて|全て|全部)?(?:無視(?:し|せよ)|忘れて(?:ください|くれ))',
      ],
      [
        'reveal',
        1,
        '(?:システムプロンプト|システム指示|初期指示|内部指示|隠された指示)(?:の|を|全文|内容|すべて|全て){0,4}(?:表示|教えて|見せ|出力|開示|公開|書き出)',
      ],
      [
        'unbound',
        1,
        '(?:制限|制約|検閲|フィルター)(?:の|が|を|一切|まったく){0,3}(?:ない|なし|受けない)の?\\p{L}{0,4}(?:ai|人工知能|アシスタント|モデル)',
      ],
    ],
  },
  ko: {
    ...OTHER_SCRIPT,
    override: {
      verbs: '무시하고',
      fill: '모든|의|받은|전부|모두|그|에',
      point: '이전|앞선|앞|위|지금까지|기존|너의|당신의|시스템|원래|초기',
      told: '(?:이전|지금까지|위)(?:의)?(?:내용|대화)',
      objects: '지시(?:사항|문)?|지침|명령(?:어)?|규칙|프롬프트|제한|설정',
      last: { link: '를|을|은|는|들|모두|전부|다|완전히', verbs: '무시|잊어(?!버렸|먹)|잊고|따르지(?:마|말)' },
    },
    phrases: [
      [
        'forget',
        1,
        '(?:이전|지금까지|위)(?:의)?(?:내용|대화)(?:을|은|를)?(?:모두|전부)?(?:무시(?:해|하)|잊어(?!버렸|먹))',
      ],
      ['reveal', 1, '시스템(?:프롬프트|지시)(?:를|을|의|내용|전체|전문){0,4}(?:보여|알려|출력|공개|말해)'],
      ['unbound', 1, '(?:제한|제약|검열)(?:이|도|을)?없는(?:ai|인공지능|어시스턴트|모델)'],
    ],
  },
}
