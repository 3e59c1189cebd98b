import { type LanguagePhrases, words } from './phrases.ts'

const DROP =
  'ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|dismiss(?:ing)?|neglect(?:ing)?|do ?not (?:follow|obey)|dont (?:follow|obey)|' +
  'stop (?:following|obeying)|pay no (?:attention|heed) to|abandon(?:ing)?'
const UNDO = `${DROP}|overrid(?:e|ing)|overrule|bypass(?:ing)?|discard(?:ing)?|drop|skip|omit|erase|set aside|circumvent`
const FILL =
  'all|any|every|each|of|the|these|those|this|that|my|our|its|and|or|other|given|current|following|subsequent|future|that were|safety|ethical|content|please|about'
const LEAD =
  '(?:you are|youre|you will be|act as|acting as|pretend (?:to be|(?:that )?(?:you are|youre))|role ?play(?:ing)? as|simulate|' +
  'behave (?:as|like)|respond as|answer as|imagine (?:that )?(?:you are|youre)|stay in character as)'
const PROMPT =
  '(?:system|hidden|secret|initial|original|developer|internal|full|pre) ?(?:prompts?|instructions|messages?|rules)'

/** Phrases of English. What is said in the other languages too comes first. */
export const ENGLISH: LanguagePhrases = {
  isLatin: true,
  isSpaced: true,
  override: {
    verbs: UNDO,
    fill: FILL,
    point:
      'your|previous|previously|prior|above|earlier|preceding|former|foregoing|initial|original|existing|system|developer|hidden|past|' +
      'before|so far|you (?:were|have been|had been) given|i gave you',
    told:
      '(?:everything|anything|all|what|whatever|all that|the text)(?: that| which| else)? ' +
      '(?:you (?:were|have been|had been|ve been|are|was) (?:told|instructed|taught|given|programmed|trained)|' +
      '(?:(?:was|is|has been|came|comes|stands|you read|you see) )?(?:(?:said|written) )?(?:above|before this|prior to this|up to (?:now|this point)))',
    objects:
      'instructions?|rules?|guidelines?|directives?|(?:system )?prompts?|commands?|programming|training|constraints?|restrictions?|' +
      'safeguards?|guardrails?|policies|policy|directions|protocols?|messages? from the (?:system|developer)',
  },
  phrases: [
    [
      'override',
      1,
      `(?:${DROP}) (?:(?:${FILL}) ?){0,3}(?:all|any|every) (?:(?:${FILL}) ?){0,3}(?:instructions|directives|guidelines|prompts|safeguards)`,
    ],
    ['forget', 0.6, `(?:${DROP}) (?:(?:all|everything|of) ){0,2}(?:the above|above)`],
    ['instead', 0.4, '(?:and )?instead (?:just )?(?:say|tell|print|write|output|do|respond|answer|reply|act)'],
    [
      'reveal',
      1,
      '(?:reveal|show|print|repeat|output|display|leak|dump|expose|disclose|recite|write out|type out|return|share|tell|give|send|what (?:is|are|was|were)|whats) ' +
        `(?:me |us )?(?:(?:all|of|the|full|entire|complete|exact|whole|verbatim|text|contents?) ?){0,5}your (?:(?:full|entire|complete|exact|own) ?){0,2}${PROMPT}`,
    ],
    [
      'reveal',
      1,
      '(?:reveal|print|repeat|output|leak|dump|expose|disclose|recite) (?:(?:all|of|the|full|entire|complete|exact|whole|text|contents?) ?){1,5}' +
        '(?:(?:system|hidden|secret|developer|initial) ?(?:prompt|instructions)|(?:prompt|instructions) you were given|(?:words|text) above starting)',
    ],
    ['reveal', 1, `what your (?:(?:full|exact|own) ){0,2}${PROMPT} (?:says?|is|are|contains?|looks? like)`],
    [
      'reveal',
      1,
      '(?:reveal|repeat|recite|leak|dump|expose|disclose) (?:all |all of )?your (?:(?:full|exact|own) ){0,2}(?:instructions|prompt|guidelines|directives)',
    ],
    [
      'reveal',
      1,
      '(?:show|tell|give|print|repeat|output) (?:me |us )?the (?:(?:full|exact|whole) ){0,2}(?:prompt|instructions) you (?:were given|were told|received|got|have)',
    ],
    ['role', 0.4, `${LEAD}`],
    ['role', 0.4, 'from now on you'],
    [
      'unbound',
      0.6,
      '(?:with no|without(?: any)?|not bound by(?: any)?|no longer bound by|free (?:of|from)(?: all| any)?|ha(?:s|ve) no) ' +
        '(?:(?:ethical|moral|content|safety|openai|any|usual) ){0,2}(?:restrictions?|limitations?|filters?|censorship|guidelines|safeguards|guardrails|rules|ethics|morals)',
    ],
    [
      'unbound',
      1,
      '(?:you|it|he|she) (?:no longer ha(?:s|ve)|do(?:es)? ?not have|dont have|ha(?:s|ve) no|are (?:free of|not bound by|no longer bound by)) ' +
        '(?:(?:any|all|ethical|moral|content|safety|more) ){0,2}(?:restrictions?|limitations|filters?|censorship|guidelines|safeguards|guardrails|rules|ethics)',
    ],
    [
      'unbound',
      1,
      `${LEAD} (?:now )?${words(2)}(?:unrestricted|unfiltered|uncensored|jailbroken|amoral|unaligned|(?:evil|unethical) ${words(1)}(?:ai|bot|assistant|model|chatbot))`,
    ],
    ['unbound', 1, 'do anything now|(?:dan|jailbreak|jailbroken|unrestricted|unfiltered) mode'],
    [
      'unbound',
      0.6,
      `${LEAD} (?:now )?(?:called )?dan|jailbreak (?:yourself|chatgpt|gpt|claude|gemini|(?:the|this) (?:ai|model|assistant|chatbot))`,
    ],
    [
      'mode',
      1,
      `(?:you are|youre) (?:now )?(?:in|entering|running in|switched to) ${words(2)}(?:developer|debug|god|admin|sudo|maintenance|training) mode`,
    ],
    [
      'mode',
      0.5,
      '(?:enter|enable|activate|switch to|turn on|go into|start) (?:the )?(?:developer|debug|god|admin|sudo|maintenance) mode',
    ],
    [
      'safety',
      1,
      '(?:bypass|disable|turn off|switch off|remove|circumvent|break|violate|evade|suspend|lift|deactivate|ignore|override|disregard) ' +
        `(?:(?:all|any|the|of) ){0,3}your ${words(2)}(?:filters?|restrictions?|safeguards?|guardrails?|guidelines?|protocols?|polic(?:y|ies)|limitations?|limits|training|programming|alignment|ethics)`,
    ],
    [
      'safety',
      0.6,
      '(?:bypass|disable|turn off|switch off|circumvent|evade|override|ignore|disregard) (?:(?:all|any|the|of) ){0,3}' +
        '(?:ai|safety|ethical|content|moderation|security) (?:filters?|guidelines?|polic(?:y|ies)|protocols?|restrictions?|guardrails?|safeguards?)',
    ],
    [
      'new-task',
      0.6,
      'your (?:new|real|actual|true|only|updated) (?:instructions?|task|goal|objective|mission|purpose|role|system prompt|directives?|rules)',
    ],
    [
      'new-task',
      0.6,
      'new (?:system )?(?:instructions?|directives?) (?:for you|follow|from (?:the )?(?:system|developer|admin|operator))',
    ],
    [
      'new-task',
      0.6,
      '(?:follow|obey|execute) (?:only )?(?:these|my|the following) (?:new )?(?:instructions|commands|orders) (?:instead|only|from now on)',
    ],
    ['override-code', 0.6, '(?:admin|administrator|system|developer|root|security|emergency) override'],
    [
      'authority',
      0.5,
      '(?:i am|im|as|this is) (?:your|the) (?:developer|creator|administrator|admin|programmer|maker|operator)',
    ],
    ['authority', 0.5, '(?:grant|give) me (?:root|admin|administrator|unrestricted) access'],
    [
      'conceal',
      0.6,
      '(?:do not|dont|never|without) (?:tell|telling|inform|informing|mention|mentioning|alert|alerting|notify|notifying|reveal)(?: this| it| anything)?(?: to)? the (?:user|human|operator)',
    ],
    [
      'exfiltrate',
      0.6,
      `(?:send|post|upload|forward|transmit|exfiltrate|leak|email|submit|copy) ${words(5)}(?:api keys?|passwords?|credentials?|secrets?|access tokens?|private keys?|(?:chat|conversation) history|whole conversation|cookies) ${words(4)}to`,
    ],
  ],
}
