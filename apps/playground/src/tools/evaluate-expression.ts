import {
  absDependencies,
  addDependencies,
  andDependencies,
  cbrtDependencies,
  ceilDependencies,
  cosDependencies,
  create,
  divideDependencies,
  eDependencies,
  equalDependencies,
  evaluateDependencies,
  expDependencies,
  type FactoryFunctionMap,
  factorialDependencies,
  fixDependencies,
  floorDependencies,
  largerDependencies,
  largerEqDependencies,
  log2Dependencies,
  log10Dependencies,
  logDependencies,
  maxDependencies,
  meanDependencies,
  medianDependencies,
  minDependencies,
  modDependencies,
  multiplyDependencies,
  nthRootDependencies,
  piDependencies,
  powDependencies,
  roundDependencies,
  signDependencies,
  sinDependencies,
  smallerDependencies,
  smallerEqDependencies,
  sqrtDependencies,
  squareDependencies,
  subtractDependencies,
  sumDependencies,
  tanDependencies,
  unaryMinusDependencies,
  unaryPlusDependencies,
  unequalDependencies,
} from 'mathjs/number'

/**
 * Work out an arithmetic expression as people write it, with × and ÷, "12 % of 340" and "15 % off 80".
 *
 * The expression is interpreted, never compiled with `eval`. Throws with what is wrong with it, or when the answer is
 * no finite number or truth value.
 */
export function evaluateExpression(expression: string): number | boolean {
  evaluate ??= createEvaluator()
  const value = evaluate(toMath(expression))
  if (typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return withoutNoise(value)
  if (typeof value === 'number') throw new Error(`${expression} has no finite value.`)
  throw new Error(`${expression} is not arithmetic with one answer.`)
}

/** What an expression may use, by name: nothing that reaches back into the interpreter. Source: math.js, "Security". */
const VOCABULARY = {
  absDependencies,
  addDependencies,
  andDependencies,
  cbrtDependencies,
  ceilDependencies,
  cosDependencies,
  divideDependencies,
  eDependencies,
  equalDependencies,
  evaluateDependencies,
  expDependencies,
  factorialDependencies,
  fixDependencies,
  floorDependencies,
  largerDependencies,
  largerEqDependencies,
  logDependencies,
  log10Dependencies,
  log2Dependencies,
  maxDependencies,
  meanDependencies,
  medianDependencies,
  minDependencies,
  modDependencies,
  multiplyDependencies,
  nthRootDependencies,
  piDependencies,
  powDependencies,
  roundDependencies,
  signDependencies,
  sinDependencies,
  smallerDependencies,
  smallerEqDependencies,
  sqrtDependencies,
  squareDependencies,
  subtractDependencies,
  sumDependencies,
  tanDependencies,
  unaryMinusDependencies,
  unaryPlusDependencies,
  unequalDependencies,
}

let evaluate: ((text: string) => unknown) | undefined

function createEvaluator(): (text: string) => unknown {
  // Every member is there; the library's types call them optional.
  const math = create(VOCABULARY as FactoryFunctionMap)
  const inside = math.evaluate.bind(math)
  // An expression must not evaluate others: `evaluate` came along as a function of the language.
  math.import({ evaluate: refuse, parse: refuse, import: refuse, config: refuse }, { override: true })
  return (text) => inside(text, new Map())
}

function refuse(): never {
  throw new Error('this function is not allowed here')
}

function toMath(expression: string): string {
  const plain = expression
    .replace(/[×·]/g, '*')
    .replaceAll('÷', '/')
    .replace(/[−–]/g, '-')
    .replaceAll('**', '^')
    .replace(/[=?\s]+$/, '')
    .replace(/(-?\d[\d.,]*)\s*(?:%|percent)\s+of\s+/gi, '($1 / 100) * ')
    .replace(/(-?\d[\d.,]*)\s*(?:%|percent)\s+off\s+/gi, '(1 - $1 / 100) * ')
  // Inside a function a comma separates arguments; elsewhere it can only set thousands apart.
  return /[a-z]\s*\(/i.test(plain) ? plain : plain.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
}

/** 0.1 + 0.2 is 0.3 for a reader. Fifteen digits are what a double holds for certain. */
function withoutNoise(value: number): number {
  return Number(value.toPrecision(15))
}
