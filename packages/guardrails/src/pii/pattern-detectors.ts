import { badOption } from '../guardrail-settings.ts'
import { DETECTORS, type Detector } from './find-pii.ts'

/** Detectors for patterns of the caller, by name. Throws `bad-option` for a bad name and for what is no regular expression. */
export function patternDetectors(patterns: Readonly<Record<string, RegExp | string>>): [string, Detector][] {
  return Object.entries(patterns).map(([name, pattern]) => {
    const expression = compile(name, pattern)
    return [
      name,
      function* findPattern(text) {
        for (const { 0: found, index } of text.matchAll(expression)) {
          if (found !== '') yield { start: index, end: index + found.length }
        }
      },
    ]
  })
}

function compile(name: string, pattern: RegExp | string): RegExp {
  if (!/^[a-z][a-z_-]{0,39}$/i.test(name) || Object.hasOwn(DETECTORS, name)) {
    throw badOption('pii', `the pattern "${name}" needs a name of its own, of up to 40 letters, "_" and "-"`)
  }
  try {
    return typeof pattern === 'string'
      ? new RegExp(pattern, 'gu')
      : new RegExp(pattern, `${pattern.flags.replace(/[gy]/g, '')}g`)
  } catch (cause) {
    throw badOption('pii', `the pattern "${name}" is no regular expression`, cause)
  }
}
